-- The last turn was stopped before its end. Only its end and the beginning of the next turn write it, never a step.
ALTER TABLE chats ADD COLUMN interrupted boolean NOT NULL DEFAULT false;
