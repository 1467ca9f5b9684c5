-- How new the programs are that run: a migration that takes something away waits for those that would miss it. Null: a
-- program of before this migration, which may be as old as it likes.
ALTER TABLE workers
  -- The newest migration that it knows.
  ADD COLUMN knows    integer,
  ADD COLUMN program  text,
  -- The machine, as people call it.
  ADD COLUMN host     text,
  -- Not heard of for so long, it is gone.
  ADD COLUMN lease_ms integer;
