-- Events of chats, for webhooks and for browsers with notifications. The transaction that causes an event writes one row of
-- the outbox for each target; triggers do so, so that no path to a status is missed, nor replicas of the version before.
CREATE TABLE webhooks (
  id             uuid PRIMARY KEY,
  owner_id       uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  url            text NOT NULL,
  events         text[] NOT NULL,
  -- Only events of chats with all of these labels.
  labels         jsonb NOT NULL DEFAULT '{}',
  enabled        boolean NOT NULL DEFAULT true,
  -- Encrypted: the signing secret, and the one before it.
  secrets        text NOT NULL,
  -- Until then, requests are also signed with the secret before.
  previous_until timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhooks_by_owner ON webhooks (owner_id, id);

-- Browsers that show notifications.
CREATE TABLE push_subscriptions (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- The address at the push service of the browser, hashed to find it; the address and the keys are encrypted.
  endpoint_hash bytea NOT NULL UNIQUE,
  secrets    text NOT NULL,
  -- The browser, as it names itself.
  user_agent text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id, id);

-- The events that a user is notified of, in all of their browsers. No row: none.
CREATE TABLE notification_events (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  events  text[] NOT NULL
);

-- The VAPID keys of the deployment: browsers accept notifications only from the server that they subscribed to.
CREATE TABLE push_keys (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  public_key text NOT NULL,
  secrets    text NOT NULL
);

-- No foreign keys: a chat must not wait for, or fail because of, a webhook that is being deleted. Housekeeping deletes rows
-- without a target.
CREATE TABLE outbox (
  -- Assigned while the row of the chat is locked: the order of its events.
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind            text NOT NULL CHECK (kind IN ('webhook', 'push')),
  target_id       uuid NOT NULL,
  -- Events with the same subject are delivered in order: the id of the chat.
  subject_id      uuid NOT NULL,
  event           text NOT NULL,
  payload         jsonb NOT NULL,
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The next attempt. During an attempt, when another replica may repeat it.
  due_at          timestamptz NOT NULL DEFAULT now(),
  -- After this time, a failed attempt is the last one.
  expires_at      timestamptz NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  last_status     integer,
  last_error      text,
  finished_at     timestamptz
);
CREATE INDEX outbox_due ON outbox (target_id, due_at, id) WHERE state = 'pending';
CREATE INDEX outbox_in_order ON outbox (target_id, subject_id, id) WHERE state = 'pending';
CREATE INDEX outbox_by_target ON outbox (target_id, id);
CREATE INDEX outbox_finished ON outbox (finished_at) WHERE finished_at IS NOT NULL;

-- Targets whose last attempts failed, so that a receiver that is down gets few requests.
CREATE TABLE failing_targets (
  target_id     uuid PRIMARY KEY,
  failures      integer NOT NULL,
  blocked_until timestamptz NOT NULL
);

CREATE FUNCTION announce(owner uuid, subject uuid, name text, its_labels jsonb, data jsonb, concerns_user boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- A suspended user is locked out: their turns are interrupted, and others may still write in their chats.
  IF EXISTS (SELECT FROM users WHERE users.id = owner AND users.suspended_at IS NOT NULL) THEN
    RETURN;
  END IF;
  INSERT INTO outbox (kind, target_id, subject_id, event, payload, expires_at)
  SELECT 'webhook', webhooks.id, subject, name, data, now() + interval '24 hours'
    FROM webhooks
   WHERE webhooks.owner_id = owner AND webhooks.enabled AND name = ANY (webhooks.events) AND its_labels @> webhooks.labels
  UNION ALL
  SELECT 'push', push_subscriptions.id, subject, name, data, now() + interval '1 hour'
    FROM notification_events JOIN push_subscriptions USING (user_id)
   WHERE concerns_user AND notification_events.user_id = owner AND name = ANY (notification_events.events);
END
$$;

-- For subagents, the title and the labels are those of the root chat.
CREATE FUNCTION announce_chat() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  root_title  text := NEW.title;
  root_labels jsonb := NEW.labels;
  calls       jsonb;
BEGIN
  -- Most turns concern nobody.
  IF NOT EXISTS (SELECT FROM webhooks WHERE webhooks.owner_id = NEW.owner_id)
     AND NOT EXISTS (SELECT FROM notification_events WHERE notification_events.user_id = NEW.owner_id) THEN
    RETURN NULL;
  END IF;
  IF NEW.root_chat_id IS NOT NULL THEN
    SELECT chats.title, chats.labels INTO root_title, root_labels FROM chats WHERE chats.id = NEW.root_chat_id;
  END IF;
  IF NEW.status = 'requires_action' THEN
    SELECT jsonb_agg(jsonb_build_object('tool_call_id', one -> 'tool_call_id', 'tool_name', one -> 'tool_name',
                                        'awaits', one -> 'kind', 'detail', one -> 'detail'))
      INTO calls
      FROM jsonb_array_elements(NEW.open_calls) AS open_calls (one)
     WHERE one ->> 'kind' IS NOT NULL AND NOT one ? 'decision';
  END IF;
  PERFORM announce(NEW.owner_id, NEW.id, 'chat.' || NEW.status, root_labels,
    jsonb_strip_nulls(jsonb_build_object(
      'chat_id', NEW.id, 'root_chat_id', NEW.root_chat_id, 'owner_id', NEW.owner_id, 'project_id', NEW.project_id,
      'title', root_title, 'labels', root_labels, 'status', NEW.status, 'snapshot_version', NEW.snapshot_version,
      'interrupted', CASE WHEN NEW.interrupted THEN true END,
      'error', CASE WHEN NEW.status = 'error'
                    THEN jsonb_build_object('kind', NEW.last_error -> 'kind', 'message', NEW.last_error -> 'message') END,
      'calls', calls)),
    -- Calls of dynamic tools wait for a program.
    calls IS NULL OR calls @? '$[*] ? (@.awaits != "dynamic")');
  RETURN NULL;
END
$$;

-- The end of a turn, or a turn that waits. A turn of a subagent ends for its parent.
CREATE TRIGGER chats_announce AFTER UPDATE OF status ON chats FOR EACH ROW
  WHEN (OLD.status IN ('running', 'interrupting') AND NEW.status IN ('waiting', 'error', 'requires_action')
        AND (NEW.parent_chat_id IS NULL OR NEW.status = 'requires_action') AND NOT NEW.labels ? '.unstored')
  EXECUTE FUNCTION announce_chat();
