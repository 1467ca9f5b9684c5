import { isDeepStrictEqual } from 'node:util';
import type { Chat, Message } from '@chatd/protocol';
import { type Acknowledged, Conversation } from '../../clients/conversation.ts';
import { textOf } from '../../clients/view.ts';
import { effectKey, planIn } from '../../deployment/plan.ts';
import { type Act, answered, begun, LONG_WORK, standing, type Surroundings, TALK } from '../act.ts';
import { oneOf } from '../random.ts';

export const forks: Act = async (talk, surroundings) => {
  const { counts, random } = surroundings;
  await fork(talk, oneOf(random, talk.view.messages), surroundings);
  counts.add('forks');
};

/** Of a turn that goes on meanwhile, as far as it is in the history. */
export const forksWhileItRuns: Act = async (talk, surroundings) => {
  const { counts } = surroundings;
  const { id } = await talk.say(LONG_WORK);
  await begun(talk);
  const point = talk.view.lastMessage;
  const isRunning = talk.view.status === 'running';
  if (point !== undefined) await fork(talk, point, surroundings);
  if (talk.last.id === id) await answered(talk, counts);
  if (isRunning) counts.add('forks of a running turn');
};

/** A chat with the same history, in which something else is said then. */
async function fork(
  talk: Conversation,
  point: Message,
  { api, counts, watch, forks: all }: Surroundings,
): Promise<void> {
  const history = talk.view.messages.filter(({ id }) => id <= point.id);
  const said = standing(talk);
  const chat = await api.post<Chat>(`/chats/${talk.chatId}/fork`, { message_id: point.id });
  const { messages } = await api.get<{ messages: Message[] }>(
    `/chats/${chat.id}/messages?limit=200`,
  );
  const rest = messages.slice(history.length);
  const isCopy = isDeepStrictEqual(messages.slice(0, history.length).map(look), history.map(look));
  // What its point has left open is answered.
  if (!isCopy || rest.length > 1 || rest.some(({ role }) => role !== 'tool')) {
    throw new Error(`chat ${chat.id} is no copy of ${talk.chatId} up to ${point.id}`);
  }
  const copy = new Conversation(api, chat.id, watch());
  all.push(copy);
  copy.acknowledged.push(...said.flatMap((one) => copied(one, chat.id, history)));
  await copy.say(TALK);
  await answered(copy, counts);
}

const look = ({ role, content }: Message) => ({ role, content });

/** What a fork has of a message: all of it, its beginning, or nothing. */
function copied(
  { id, steps, fate = 'answered', at, submitted }: Acknowledged,
  chatId: string,
  history: readonly Message[],
): Acknowledged[] {
  const texts = history.map(textOf);
  if (!texts.some((text) => planIn(text)?.id === id)) return [];
  const isWhole = texts.some((text) => text.startsWith(`re:${effectKey(id, steps.length - 1)}`));
  const shared = { id, steps, chatId, at, copied: true };
  if (!isWhole) return [{ ...shared, fate: 'cut' }];
  return [{ ...shared, fate, ...(submitted !== undefined && { submitted }) }];
}
