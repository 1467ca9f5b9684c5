-- Events of triggers: a run that failed or was refused, and a trigger that the server has disabled.
CREATE FUNCTION announce_trigger_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A notification only without a chat: that of the chat is enough.
  PERFORM announce(triggers.owner_id, triggers.id, 'trigger.failed', coalesce(triggers.chat -> 'labels', '{}'),
                   jsonb_strip_nulls(jsonb_build_object(
                     'owner_id', triggers.owner_id, 'chat_id', NEW.chat_id,
                     'trigger', jsonb_build_object('id', triggers.id, 'name', triggers.name, 'run_id', NEW.id,
                                                   'reason', NEW.reason))),
                   NEW.chat_id IS NULL)
     FROM triggers WHERE triggers.id = NEW.trigger_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER trigger_runs_announce AFTER INSERT OR UPDATE OF status ON trigger_runs FOR EACH ROW
  WHEN (NEW.status IN ('failed', 'refused')) EXECUTE FUNCTION announce_trigger_run();

CREATE FUNCTION announce_disabled_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.owner_id, NEW.id, 'trigger.disabled', coalesce(NEW.chat -> 'labels', '{}'),
                   jsonb_build_object('owner_id', NEW.owner_id, 'trigger',
                     jsonb_build_object('id', NEW.id, 'name', NEW.name, 'reason', NEW.disabled_reason)),
                   true);
  RETURN NULL;
END
$$;
CREATE TRIGGER triggers_announce AFTER UPDATE OF enabled ON triggers FOR EACH ROW
  WHEN (OLD.enabled AND NOT NEW.enabled AND NEW.disabled_reason IS NOT NULL)
  EXECUTE FUNCTION announce_disabled_trigger();
