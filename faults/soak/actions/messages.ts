import { newPlan } from '../../clients/conversation.ts';
import { formatPlan } from '../../deployment/plan.ts';
import {
  type Action,
  answered,
  started,
  waitFor,
  LONG_TEXT,
  LONG_TOOLS,
  editable,
  TEXT,
  TOOLS,
} from '../action.ts';
import { oneOf } from '../random.ts';

export const sendText: Action = async (chat, { counts }) => {
  await chat.send(TEXT);
  await answered(chat, counts);
};

export const callTools: Action = async (chat, { counts }) => {
  await chat.send(TOOLS);
  await answered(chat, counts);
  counts.add('server tool calls', 2);
};

export const queueMessage: Action = async (chat, { counts }) => {
  await chat.send(LONG_TEXT);
  const { queued } = await chat.send(TEXT);
  await answered(chat, counts);
  if (queued === true) counts.add('queued messages');
};

export const steer: Action = async (chat, { counts }) => {
  const work = await chat.send(LONG_TOOLS);
  await started(chat);
  const { queued } = await chat.send(TEXT, 'steer');
  work.outcome = 'interrupted';
  await answered(chat, counts);
  if (queued === true) counts.add('steering messages');
};

export const interruptWithMessage: Action = async (chat, { counts }) => {
  const message = await chat.send(LONG_TEXT);
  await started(chat);
  const { queued } = await chat.send(TEXT, 'interrupt');
  message.outcome = 'interrupted';
  await answered(chat, counts);
  if (queued === true) counts.add('interrupting messages');
};

export const interruptTurn: Action = async (chat, { counts, random }) => {
  const message = await chat.send(oneOf(random, [LONG_TEXT, LONG_TOOLS]));
  await started(chat);
  if (await chat.interrupt()) {
    message.outcome = 'interrupted';
    counts.add('interrupts');
  }
  await waitFor(chat, 'the idle state', ({ status }) => status === 'waiting');
};

/** The new message has no tool calls, because a retried edit may run it twice. */
export const editWhileIdle: Action = async (chat, { counts, random }) => {
  await chat.edit(oneOf(random, editable(chat)), TEXT);
  await answered(chat, counts);
  counts.add('edits of idle chats');
};

export const editDuringTurn: Action = async (chat, { counts, random }) => {
  const earlier = editable(chat);
  const running = await chat.send(oneOf(random, [LONG_TEXT, LONG_TOOLS]));
  await started(chat);
  await chat.edit(random() < 0.5 ? running : oneOf(random, earlier), TEXT);
  await answered(chat, counts);
  counts.add('edits during a turn');
};

export const startSubagent: Action = async (chat, { counts }) => {
  const agent = newPlan(TOOLS);
  await chat.send([
    { chunks: 1, call: { tool: 'spawn_agent', args: { prompt: formatPlan(agent) } } },
    { chunks: 1, call: { tool: 'wait_agent', args: {} } },
    { chunks: 3 },
  ]);
  await answered(chat, counts);
  counts.add('subagents');
};

export const hitRateLimit: Action = async (chat, { counts }) => {
  await chat.send([{ chunks: 6, paceMs: 20, fault: { kind: '429 with retry-after', times: 1 } }]);
  await answered(chat, counts);
};

export const receiveResetStream: Action = async (chat, { counts }) => {
  await chat.send([{ chunks: 6, paceMs: 20, fault: { kind: 'reset mid-stream', times: 1 } }]);
  await answered(chat, counts);
};
