import { QUEUE_LIMIT } from '@chatd/protocol';
import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { moveToFront, promote, editQueued, removeQueued } from '../../clients/queued-messages.ts';
import {
  type Action,
  answered,
  callPending,
  CLIENT_TOOL_CALL,
  started,
  waitFor,
  LONG_TEXT,
  LONG_TOOLS,
  settled,
  SHORT_TEXT,
  editable,
  type ActionContext,
  TEXT,
} from '../action.ts';
import { oneOf } from '../random.ts';

const EXCESS = 3;
const KEPT = 4;

/** Sends more messages than the queue holds. Resolves to the queued ones, in queue order. */
async function fillQueue(chat: Conversation, { counts }: ActionContext): Promise<Acknowledged[]> {
  const sent = await Promise.allSettled(
    Array.from({ length: QUEUE_LIMIT + EXCESS }, () => chat.send(SHORT_TEXT)),
  );
  const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const other = refused.find((why) => !(why instanceof RequestRefused && why.status === 429));
  if (other !== undefined) throw other;
  if (refused.length !== EXCESS) {
    throw new Error(`chat ${chat.chatId}: a full queue rejected ${refused.length} messages`);
  }
  await waitFor(chat, 'a full queue', ({ queue }) => queue.length === QUEUE_LIMIT);
  counts.add('full queues');
  counts.add('messages rejected by a full queue', refused.length);
  return chat.view.queue.flatMap(({ id }) =>
    chat.acknowledged.filter(({ queuedId }) => queuedId === id),
  );
}

/** The edit removes the queued messages and the running turn. */
export const editWithFullQueue: Action = async (chat, context) => {
  const { counts, random } = context;
  const earlier = editable(chat);
  const call = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, call);
  await fillQueue(chat, context);
  await chat.edit(oneOf(random, [...earlier, call]), TEXT);
  await answered(chat, counts);
  counts.add('edits with a full queue');
};

export const reorderFullQueue: Action = async (chat, context) => {
  const { counts } = context;
  const call = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, call);
  const waiting = await fillQueue(chat, context);
  const [first, second, third, fourth, ...rest] = waiting;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
    throw new Error(`chat ${chat.chatId}: fewer than ${KEPT} messages in a full queue`);
  }
  await Promise.all(rest.map((one) => removeQueued(chat, one)));
  counts.add('queued messages removed', rest.length);
  await moveToFront(chat, third);
  counts.add('queued messages moved');
  const edited = await editQueued(chat, second, SHORT_TEXT);
  if (edited === undefined) throw new Error(`chat ${chat.chatId}: ${second.id} is not queued`);
  counts.add('queued messages edited');
  if (!chat.isUncertain) expectOrder([third, first, edited, fourth]);
  await chat.answerCalls(chat.view, call);
  await settled(chat, counts);
};

/** Changes the queue while it is processed; changes that come too late are refused. */
export const reorderMovingQueue: Action = async (chat, { counts }) => {
  await chat.send(LONG_TOOLS);
  await started(chat);
  const [first, second, third] = await sendQueued(chat, 3);
  if (third !== undefined && (await moveToFront(chat, third))) counts.add('queued messages moved');
  if (second !== undefined && (await removeQueued(chat, second))) {
    counts.add('queued messages removed');
  }
  if (first !== undefined && (await editQueued(chat, first, SHORT_TEXT)) !== undefined) {
    counts.add('queued messages edited');
  }
  await settled(chat, counts);
};

/** Interrupts the running turn, which may be one of a queued message by then. */
export const promoteDuringTurn: Action = async (chat, { counts }) => {
  const running = await chat.send(LONG_TEXT);
  await started(chat);
  const waiting = await sendQueued(chat, 3);
  const last = waiting.pop();
  if (last !== undefined && (await promote(chat, last))) {
    for (const one of [running, ...waiting]) one.outcome = 'interrupted';
    counts.add('queued messages promoted');
  }
  await settled(chat, counts);
};

/** The promotion cancels the pending call. */
export const promoteInsteadOfAnswering: Action = async (chat, { counts }) => {
  const call = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, call);
  const [first, second, third] = await sendQueued(chat, 3);
  if (first === undefined || second === undefined || third === undefined) return;
  if (!(await promote(chat, third))) throw new Error(`${third.id} is not queued`);
  call.outcome = 'interrupted';
  expectOrder([call, third, first, second]);
  counts.add('queued messages promoted');
  await settled(chat, counts);
};

async function sendQueued(chat: Conversation, times: number): Promise<Acknowledged[]> {
  const sent: Acknowledged[] = [];
  for (let time = 0; time < times; time += 1) {
    const one = await chat.send(SHORT_TEXT);
    if (one.queued === true) sent.push(one);
  }
  return sent;
}

function expectOrder(messages: readonly Acknowledged[]): void {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (before !== undefined) message.after = before.id;
  }
}
