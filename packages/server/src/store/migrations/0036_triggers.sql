-- Start chats by themselves: schedules, and webhooks that other programs call.
CREATE TABLE triggers (
  id                 uuid PRIMARY KEY,
  owner_id           uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name               text NOT NULL,
  kind               text NOT NULL CHECK (kind IN ('schedule', 'webhook')),
  enabled            boolean NOT NULL,
  -- Set when the server disables the trigger, in the transaction of the last failure.
  disabled_reason    text,
  cron               text,
  timezone           text,
  missed             text CHECK (missed IN ('skip', 'once')),
  -- The next time of an enabled schedule, else null.
  next_fire_at       timestamptz,
  verification       text,
  -- The secret of a webhook, encrypted for this row.
  secrets            text,
  prompt             text NOT NULL,
  -- Settings of the chats, as in the API.
  chat               jsonb NOT NULL,
  concurrency        text NOT NULL CHECK (concurrency IN ('skip', 'queue', 'parallel')),
  max_failures       integer,
  -- Consecutive runs that failed or were refused.
  failures           integer NOT NULL DEFAULT 0,
  spend_limit_micros bigint,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, name),
  CHECK ((kind = 'schedule') = (cron IS NOT NULL)),
  CHECK ((kind = 'webhook') = (verification IS NOT NULL)),
  CHECK (next_fire_at IS NULL OR (kind = 'schedule' AND enabled))
);
CREATE INDEX triggers_due ON triggers (next_fire_at) WHERE next_fire_at IS NOT NULL;

-- The trigger that started a chat, also of its subagents. No foreign key: a turn that ends locks its chat before the
-- trigger, and the deletion of a trigger would do the reverse.
ALTER TABLE chats ADD COLUMN trigger_id uuid;
CREATE INDEX chats_by_trigger ON chats (trigger_id) WHERE trigger_id IS NOT NULL;

CREATE TABLE trigger_runs (
  id          uuid PRIMARY KEY,
  trigger_id  uuid NOT NULL REFERENCES triggers ON DELETE CASCADE,
  -- Either, or neither for a run that a user has started.
  fire_time   timestamptz,
  delivery_id text,
  status      text NOT NULL CHECK (status IN ('queued', 'started', 'skipped', 'refused', 'done', 'failed')),
  reason      text,
  chat_id     uuid REFERENCES chats ON DELETE SET NULL,
  -- The message of a queued run.
  message     text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  CHECK ((status = 'queued') = (message IS NOT NULL))
);
-- A trigger runs once for each time and for each delivery.
CREATE UNIQUE INDEX trigger_runs_by_time ON trigger_runs (trigger_id, fire_time) WHERE fire_time IS NOT NULL;
CREATE UNIQUE INDEX trigger_runs_by_delivery ON trigger_runs (trigger_id, delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX trigger_runs_by_trigger ON trigger_runs (trigger_id, created_at DESC, id DESC);
CREATE INDEX trigger_runs_by_chat ON trigger_runs (chat_id) WHERE chat_id IS NOT NULL;
CREATE INDEX trigger_runs_started ON trigger_runs (trigger_id) WHERE status = 'started';
CREATE INDEX trigger_runs_queued ON trigger_runs (trigger_id, created_at, id) WHERE status = 'queued';
CREATE INDEX trigger_runs_by_age ON trigger_runs (ended_at) WHERE ended_at IS NOT NULL;

-- The chat that runs with a key continue.
CREATE TABLE trigger_chats (
  trigger_id uuid NOT NULL REFERENCES triggers ON DELETE CASCADE,
  key        text NOT NULL,
  chat_id    uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
  PRIMARY KEY (trigger_id, key)
);
CREATE INDEX trigger_chats_by_chat ON trigger_chats (chat_id);

-- Counts failures. The last one that is allowed disables the trigger; a PostgreSQL trigger can listen for
-- OLD.enabled AND NOT NEW.enabled AND NEW.disabled_reason IS NOT NULL.
CREATE FUNCTION count_trigger_failures(id_of_trigger uuid, ended integer, why text) RETURNS void LANGUAGE sql AS $$
  UPDATE triggers
     SET failures = failures + ended,
         enabled = enabled AND coalesce(failures + ended < max_failures, true),
         next_fire_at = CASE WHEN failures + ended >= max_failures THEN NULL ELSE next_fire_at END,
         disabled_reason = CASE WHEN enabled AND failures + ended >= max_failures
           THEN format('Disabled after %s consecutive failures. The last one: %s', failures + ended, why)
           ELSE disabled_reason END
   WHERE id = id_of_trigger
$$;

-- A run ends when its chat comes to rest, in the same transaction. Only chats of triggers pay for it.
CREATE FUNCTION end_trigger_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  why text;
  ended integer;
BEGIN
  IF NEW.status = 'error' THEN
    why := coalesce(NEW.last_error ->> 'message', 'The chat has failed.');
  END IF;
  UPDATE trigger_runs
     SET status = CASE WHEN NEW.status = 'error' THEN 'failed' ELSE 'done' END,
         reason = CASE WHEN NEW.interrupted AND why IS NULL THEN 'The turn was interrupted.' ELSE why END,
         ended_at = now()
   WHERE chat_id = NEW.id AND status = 'started';
  GET DIAGNOSTICS ended = ROW_COUNT;
  IF ended = 0 THEN
    RETURN NULL;
  ELSIF NEW.status = 'error' THEN
    PERFORM count_trigger_failures(NEW.trigger_id, ended, why);
  ELSE
    UPDATE triggers SET failures = 0 WHERE id = NEW.trigger_id AND failures > 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER chats_end_trigger_runs AFTER UPDATE OF status ON chats FOR EACH ROW
  WHEN (NEW.trigger_id IS NOT NULL AND NEW.status IN ('waiting', 'error') AND OLD.status <> NEW.status)
  EXECUTE FUNCTION end_trigger_runs();
