import type { ChatRow } from '../../chat/row.ts';
import type { ModelCall } from '../../chat/writes.ts';
import { insertModelCall } from '../queries/model-calls.ts';
import type { Queryable } from '../statement.ts';

/** A model call in the order of the columns of model_calls. */
export function callValues(call: ModelCall): unknown[] {
  return [
    call.model_config_id,
    call.usage.input_tokens ?? 0,
    call.usage.output_tokens ?? 0,
    call.usage.reasoning_tokens ?? 0,
    call.usage.cache_read_tokens ?? 0,
    call.usage.cache_creation_tokens ?? 0,
    call.cost_micros,
    call.runtime_ms,
    call.kind,
  ];
}

/** Besides the steps of a chat, for calls that none of them carries: titles, and attempts that left nothing but a bill. */
export async function bookCall(
  db: Queryable,
  chat: Pick<ChatRow, 'id' | 'owner_id' | 'root_chat_id'>,
  call: ModelCall,
): Promise<void> {
  await db.query(insertModelCall, [
    chat.owner_id,
    chat.id,
    chat.root_chat_id ?? chat.id,
    ...callValues(call),
  ]);
}
