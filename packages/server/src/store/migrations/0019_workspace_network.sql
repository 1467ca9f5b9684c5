-- The network of a template is a mode now: 'none', 'internet' or an allowlist; before, it was true or false. 'none' is stored
-- as no value at all: replicas of earlier versions, which run during an upgrade, read every other value as true.
UPDATE templates SET definition =
  CASE definition->'network' WHEN 'true' THEN jsonb_set(definition, '{network}', '"internet"') ELSE definition - 'network' END
WHERE jsonb_typeof(definition->'network') = 'boolean';

UPDATE workspaces SET definition =
  CASE definition->'network' WHEN 'true' THEN jsonb_set(definition, '{network}', '"internet"') ELSE definition - 'network' END
WHERE jsonb_typeof(definition->'network') = 'boolean';
