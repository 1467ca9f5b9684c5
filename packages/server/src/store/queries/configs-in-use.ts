import { statement } from '../statement.ts';

/**
 * Of the given model configs, those that a chat or a waiting message names. Reads all chats: there is no index, since
 * every chat would pay for what an admin does once in a while.
 */
export const configsInUse = statement<{ id: string; display_name: string }>(
  'configs-in-use',
  `SELECT id, display_name
     FROM model_configs
    WHERE id = ANY($1::uuid[])
      AND (EXISTS (SELECT FROM chats WHERE chats.model_config_id = model_configs.id)
        OR EXISTS (SELECT FROM queued_messages WHERE queued_messages.model_config_id = model_configs.id))
    ORDER BY display_name, id`,
);
