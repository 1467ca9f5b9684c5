import type { Answer, Chat } from '@chatd/protocol';
import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { Viewer } from '../../clients/viewer.ts';
import { callId, effectKey, type PlannedStep } from '../../deployment/plan.ts';
import { type Action, answered, callPending, CLIENT_TOOL_CALL, waitFor } from '../action.ts';
import { requestingReplicaStopped } from '../requesting-replica.ts';
import { oneOf } from '../random.ts';

export const callClientTool: Action = async (chat, { counts }) => {
  const message = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, message);
  await chat.answerCalls();
  await answered(chat, counts);
  counts.add('client tool calls');
};

/** The client and the requesting replica stop; a new client receives the pending call and answers it. */
export const reconnectClient: Action = async (chat, context) => {
  const { counts, api, watch, watchers } = context;
  const message = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, message);
  const hasStopped = await requestingReplicaStopped(chat.chatId, context);
  const client = new Viewer({ api, chatId: chat.chatId, ...watch() });
  watchers.push(client);
  await waitFor(chat, 'the pending call', ({ awaited }) => awaited.length > 0, client);
  await chat.answerCalls(client.view, message);
  await answered(chat, counts);
  counts.add('reconnected tool clients');
  if (hasStopped) counts.add('results after the requesting replica stopped');
};

/** Two clients submit results concurrently; exactly one is accepted. */
export const answerFromTwoClients: Action = async (chat, { counts }) => {
  const message = await chat.send(CLIENT_TOOL_CALL);
  await callPending(chat, message);
  const tool_call_id = callId(message.id, 0);
  const both = await Promise.all(
    ['one', 'other'].map(async (output) => {
      try {
        const results = [{ tool_call_id, output }];
        await chat.api.post(`/chats/${chat.chatId}/tool-results`, { results });
        message.submitted = results;
        return true;
      } catch (error) {
        if (error instanceof RequestRefused && error.status === 409) return false;
        throw error;
      }
    }),
  );
  if (both.filter(Boolean).length !== 1) {
    throw new Error(`chat ${chat.chatId}: of two concurrent results, accepted: ${both.join()}`);
  }
  await answered(chat, counts);
  counts.add('concurrent results of two clients');
};

const OPTIONS = ['one', 'other'];
const QUESTION: readonly PlannedStep[] = [
  {
    chunks: 2,
    call: {
      tool: 'ask_user_question',
      args: { question: 'Which?', options: OPTIONS.map((label) => ({ label })) },
    },
  },
  { chunks: 4, paceMs: 20 },
];

export const answerQuestion: Action = async (chat, context) => {
  const { counts, random } = context;
  const message = await chat.send(QUESTION);
  await callPending(chat, message);
  if (random() < 0.2) await requestingReplicaStopped(chat.chatId, context);
  const answers: Answer[] = [
    'Neither',
    { selected: ['other'] },
    { selected: ['one'], text: 'I think' },
  ];
  const answer = oneOf(random, answers);
  await reply(chat, message, 0, answer);
  message.submitted = [{ tool_call_id: callId(message.id, 0), output: answer }];
  await answered(chat, counts);
  counts.add('questions answered');
};

const PROPOSE = { chunks: 1, call: { tool: 'propose_plan', args: { plan: 'Count.' } } };
const PLANNING: readonly PlannedStep[] = [
  { chunks: 2, call: { tool: 'count', ms: 30 } },
  PROPOSE,
  PROPOSE,
  { chunks: 2, call: { tool: 'count', ms: 30 } },
  { chunks: 4, paceMs: 20 },
];

/** No tool runs before the second plan is accepted. */
export const proposePlans: Action = async (chat, { counts, api }) => {
  const path = `/chats/${chat.chatId}`;
  const { retried } = await api.patch(path, { plan_mode: true });
  if (retried) {
    // The first attempt may still take effect after the plan is accepted.
    chat.isUncertain = true;
    return;
  }
  const message = await chat.send(PLANNING);
  message.forbidden = [effectKey(message.id, 0)];
  await callPending(chat, message, 1);
  await reply(chat, message, 1, { accepted: false, text: 'Not yet.' });
  counts.add('plans rejected');
  await callPending(chat, message, 2);
  const at = Date.now();
  await reply(chat, message, 2, { accepted: true });
  message.decisions = [
    { tool_call_id: callId(message.id, 3), key: effectKey(message.id, 3), decision: 'allow', at },
  ];
  await answered(chat, counts);
  counts.add('plans accepted');
  const { plan_mode } = await api.get<Chat>(path);
  if (plan_mode) throw new Error(`chat ${chat.chatId}: plan mode is on after the acceptance`);
};

const reply = (chat: Conversation, { id }: Acknowledged, step: number, answer: Answer) =>
  chat.api.post(`/chats/${chat.chatId}/answers`, { tool_call_id: callId(id, step), answer });
