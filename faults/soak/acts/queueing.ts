import { QUEUE_LIMIT } from '@chatd/protocol';
import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { moveToFront, promote, reword, takeBack } from '../../clients/queue.ts';
import {
  type Act,
  answered,
  asked,
  ASKING,
  begun,
  comes,
  LONG_TALK,
  LONG_WORK,
  settled,
  SHORT,
  standing,
  type Surroundings,
  TALK,
} from '../act.ts';
import { oneOf } from '../random.ts';

const TOO_MANY = 3;
const KEPT = 4;

/** More messages at once than may wait, while nothing moves. The queue, as it is shown. */
async function fill(talk: Conversation, { counts }: Surroundings): Promise<Acknowledged[]> {
  const sent = await Promise.allSettled(
    Array.from({ length: QUEUE_LIMIT + TOO_MANY }, () => talk.say(SHORT)),
  );
  const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const other = refused.find((why) => !(why instanceof RequestRefused && why.status === 429));
  if (other !== undefined) throw other;
  if (refused.length !== TOO_MANY) {
    throw new Error(`chat ${talk.chatId}: a full queue refused ${refused.length} messages`);
  }
  await comes(talk, 'for a full queue', ({ queue }) => queue.length === QUEUE_LIMIT);
  counts.add('queues filled');
  counts.add('messages refused by a full queue', refused.length);
  return talk.view.queue.flatMap(({ id }) =>
    talk.acknowledged.filter(({ queuedId }) => queuedId === id),
  );
}

/** What waits is gone with the edit, as is the turn that it waited for. */
export const editsBeforeAFullQueue: Act = async (talk, surroundings) => {
  const { counts, random } = surroundings;
  const earlier = standing(talk);
  const asking = await talk.say(ASKING);
  await asked(talk, asking);
  await fill(talk, surroundings);
  await talk.edit(oneOf(random, [...earlier, asking]), TALK);
  await answered(talk, counts);
  counts.add('edits while the queue is full');
};

export const tidiesAFullQueue: Act = async (talk, surroundings) => {
  const { counts } = surroundings;
  const asking = await talk.say(ASKING);
  await asked(talk, asking);
  const waiting = await fill(talk, surroundings);
  const [first, second, third, fourth, ...rest] = waiting;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new Error(`chat ${talk.chatId}: less than ${KEPT} messages are shown in a full queue`);
  }
  await Promise.all(rest.map((one) => takeBack(talk, one)));
  counts.add('queued messages taken back', rest.length);
  await moveToFront(talk, third);
  counts.add('queued messages moved');
  const reworded = await reword(talk, second, SHORT);
  if (reworded === undefined) throw new Error(`chat ${talk.chatId}: ${second.id} is not queued`);
  counts.add('queued messages reworded');
  if (!talk.isDoubtful) inThisOrder([third, first, reworded, fourth]);
  await talk.answerCalls(talk.view, asking);
  await settled(talk, counts);
};

/** While the queue moves: whoever is too late is told so. */
export const tidiesAMovingQueue: Act = async (talk, { counts }) => {
  await talk.say(LONG_WORK);
  await begun(talk);
  const [first, second, third] = await say(talk, 3);
  if (third !== undefined && (await moveToFront(talk, third))) counts.add('queued messages moved');
  if (second !== undefined && (await takeBack(talk, second))) {
    counts.add('queued messages taken back');
  }
  if (first !== undefined && (await reword(talk, first, SHORT)) !== undefined) {
    counts.add('queued messages reworded');
  }
  await settled(talk, counts);
};

/** The turn that runs is cut; by then it may be that of one which had waited. */
export const promotesWhileItRuns: Act = async (talk, { counts }) => {
  const running = await talk.say(LONG_TALK);
  await begun(talk);
  const waiting = await say(talk, 3);
  const last = waiting.pop();
  if (last !== undefined && (await promote(talk, last))) {
    for (const one of [running, ...waiting]) one.fate = 'cut';
    counts.add('queued messages promoted');
  }
  await settled(talk, counts);
};

/** The call that somebody was asked about is cancelled. */
export const promotesInsteadOfAnswering: Act = async (talk, { counts }) => {
  const asking = await talk.say(ASKING);
  await asked(talk, asking);
  const [first, second, third] = await say(talk, 3);
  if (first === undefined || second === undefined || third === undefined) return;
  if (!(await promote(talk, third))) throw new Error(`${third.id} is not queued`);
  asking.fate = 'cut';
  inThisOrder([asking, third, first, second]);
  counts.add('queued messages promoted');
  await settled(talk, counts);
};

async function say(talk: Conversation, times: number): Promise<Acknowledged[]> {
  const said: Acknowledged[] = [];
  for (let time = 0; time < times; time += 1) {
    const one = await talk.say(SHORT);
    if (one.queued === true) said.push(one);
  }
  return said;
}

function inThisOrder(messages: readonly Acknowledged[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (before !== undefined) message.after = before.id;
  }
}
