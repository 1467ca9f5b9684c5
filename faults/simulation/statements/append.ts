import type { NewMessage } from '../../../packages/server/src/chat/writes.ts';
import type { ChatData, MessageData, Session } from '../postgres.ts';

/** The value of a JSON parameter, as whatever type the caller expects. */
export const parse = (json: string): never => JSON.parse(json) as never;

type Episode = Pick<MessageData, 'base_version' | 'attempt' | 'runner_id'>;

const NO_EPISODE: Episode = { base_version: null, attempt: null, runner_id: null };

/** Appends messages to a locked chat. */
export function append(
  session: Session,
  chat: ChatData,
  messages: readonly NewMessage[],
  revision: number,
  episode = NO_EPISODE,
): MessageData[] {
  const added = messages.map((message): MessageData => ({
    ...episode,
    id: session.postgres.newId(),
    chat_id: chat.row.id,
    role: message.role,
    revision,
    hidden: message.hidden ?? false,
    content: message.content,
    meta: message.meta ?? null,
    created_at: session.startedAt,
    created_by: message.created_by ?? null,
    model_config_id: message.model_config_id ?? null,
    usage: message.usage ?? null,
    cost_micros: message.cost_micros ?? null,
    runtime_ms: message.runtime_ms ?? null,
    queued_message_id: message.queued_message_id ?? null,
  }));
  chat.messages = [...chat.messages, ...added];
  return added;
}
