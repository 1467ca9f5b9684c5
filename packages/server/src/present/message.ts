import { type Json, Message, Usage } from '@chatd/protocol';
import type { MessageRow } from '../chat/row.ts';
import { pick } from './pick.ts';
import { presentParts } from './part.ts';

const USAGE_FIELDS = Object.keys(Usage.shape) as (keyof Usage)[];

const CUT_OFF = Message.shape.cut_off.unwrap().options;

export function presentMessage(row: MessageRow): Message {
  return {
    id: row.id,
    chat_id: row.chat_id,
    role: row.role,
    created_at: row.created_at.toISOString(),
    ...(row.created_by !== null && { created_by: row.created_by }),
    ...(row.model_config_id !== null && { model_config_id: row.model_config_id }),
    content: presentParts(row.content),
    ...(row.usage !== null && { usage: pick(row.usage, USAGE_FIELDS) }),
    ...(row.cost_micros !== null && { cost_micros: row.cost_micros }),
    ...(row.runtime_ms !== null && { runtime_ms: row.runtime_ms }),
    ...(row.queued_message_id !== null && { queued_message_id: row.queued_message_id }),
    ...shownOf(row.meta),
  };
}

/** As someone who does not own the chat sees it: without what it has cost. */
export function presentMessageTo(row: MessageRow, { role }: { readonly role: string }): Message {
  const message = presentMessage(row);
  if (role === 'owner') return message;
  const { cost_micros: _, ...shown } = message;
  return shown;
}

/** Of what the loop remembers of a message, this is all that a client is told. */
function shownOf(meta: Json): Pick<Message, 'cut_off' | 'steered'> {
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return {};
  if (meta['steered'] === true) return { steered: true };
  const reason = meta['interrupted'] === true ? 'interrupted' : meta['finish_reason'];
  const told = CUT_OFF.find((option) => option === reason);
  return told === undefined ? {} : { cut_off: told };
}
