import type { ChatRow } from '../../chat/row.ts';
import type { ModelCall } from '../../chat/writes.ts';
import { insertModelCall, type ModelCallParams } from '../queries/model-calls.ts';
import type { Queryable } from '../statement.ts';

export const callColumns = (call: ModelCall): ModelCallParams => ({
  model_config_id: call.model_config_id,
  input_tokens: call.usage.input_tokens ?? 0,
  output_tokens: call.usage.output_tokens ?? 0,
  reasoning_tokens: call.usage.reasoning_tokens ?? 0,
  cache_read_tokens: call.usage.cache_read_tokens ?? 0,
  cache_creation_tokens: call.usage.cache_creation_tokens ?? 0,
  cost_micros: call.cost_micros,
  runtime_ms: call.runtime_ms,
  kind: call.kind,
});

/** Records a model call that belongs to no committed step: a title, or an attempt that failed after it was billed. */
export async function recordCall(
  db: Queryable,
  chat: Pick<ChatRow, 'id' | 'owner_id' | 'root_chat_id'>,
  call: ModelCall,
): Promise<void> {
  await db.query(insertModelCall, {
    user_id: chat.owner_id,
    chat_id: chat.id,
    root_chat_id: chat.root_chat_id ?? chat.id,
    ...callColumns(call),
  });
}
