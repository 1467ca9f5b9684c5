import { isDeepStrictEqual } from 'node:util';
import type { Chat, Message } from '@chatd/protocol';
import { type Acknowledged, Conversation } from '../../clients/conversation.ts';
import { textOf } from '../../clients/view.ts';
import { effectKey, parsePlan } from '../../deployment/plan.ts';
import {
  type Action,
  answered,
  started,
  LONG_TOOLS,
  editable,
  type ActionContext,
  TEXT,
} from '../action.ts';
import { oneOf } from '../random.ts';

export const forkIdleChat: Action = async (chat, context) => {
  const { counts, random } = context;
  await fork(chat, oneOf(random, chat.view.messages), context);
  counts.add('forks');
};

/** Forks at the newest committed message of a running turn. */
export const forkDuringTurn: Action = async (chat, context) => {
  const { counts } = context;
  const { id } = await chat.send(LONG_TOOLS);
  await started(chat);
  const point = chat.view.lastMessage;
  const isRunning = chat.view.status === 'running';
  if (point !== undefined) await fork(chat, point, context);
  if (chat.last.id === id) await answered(chat, counts);
  if (isRunning) counts.add('forks during a turn');
};

/** Forks a chat, compares the histories, and continues the fork. */
async function fork(
  chat: Conversation,
  point: Message,
  { api, counts, watch, forks: all }: ActionContext,
): Promise<void> {
  const history = chat.view.messages.filter(({ id }) => id <= point.id);
  const originals = editable(chat);
  const created = await api.post<Chat>(`/chats/${chat.chatId}/fork`, { message_id: point.id });
  const { messages } = await api.get<{ messages: Message[] }>(
    `/chats/${created.id}/messages?limit=200`,
  );
  const rest = messages.slice(history.length);
  const isCopy = isDeepStrictEqual(
    messages.slice(0, history.length).map(withoutId),
    history.map(withoutId),
  );
  // The fork may add results for open calls.
  if (!isCopy || rest.length > 1 || rest.some(({ role }) => role !== 'tool')) {
    throw new Error(`chat ${created.id} differs from ${chat.chatId} up to message ${point.id}`);
  }
  const copy = new Conversation(api, created.id, watch());
  all.push(copy);
  copy.acknowledged.push(...originals.flatMap((one) => copied(one, created.id, history)));
  await copy.send(TEXT);
  await answered(copy, counts);
}

const withoutId = ({ role, content }: Message) => ({ role, content });

/** The expected outcome of a message in the fork; empty if it is after the fork point. */
function copied(
  { id, steps, outcome = 'answered', at, submitted }: Acknowledged,
  chatId: string,
  history: readonly Message[],
): Acknowledged[] {
  const texts = history.map(textOf);
  if (!texts.some((text) => parsePlan(text)?.id === id)) return [];
  const isComplete = texts.some((text) => text.startsWith(`re:${effectKey(id, steps.length - 1)}`));
  const shared = { id, steps, chatId, at, copied: true };
  if (!isComplete) return [{ ...shared, outcome: 'interrupted' }];
  return [{ ...shared, outcome, ...(submitted !== undefined && { submitted }) }];
}
