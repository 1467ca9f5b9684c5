import { statement } from '../statement.ts';

export const insertModelCall = statement<never>(
  'insert-model-call',
  `INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens,
                            reasoning_tokens, cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms,
                            kind)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
