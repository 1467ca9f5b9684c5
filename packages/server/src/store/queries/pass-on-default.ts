import { statement } from '../statement.ts';

/** When the default is gone: the one that new chats get anyway takes its place. */
export const passOnDefault = statement<{ id: string }>(
  'pass-on-default',
  `UPDATE model_configs
      SET is_default = true
    WHERE NOT EXISTS (SELECT FROM model_configs WHERE is_default)
      AND id = (SELECT model_configs.id
                  FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
                 ORDER BY (model_configs.enabled AND providers.enabled) DESC,
                          model_configs.created_at, model_configs.id
                 LIMIT 1)
   RETURNING id`,
);
