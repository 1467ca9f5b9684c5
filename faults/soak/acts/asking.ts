import type { Answer, Chat } from '@chatd/protocol';
import { RequestRefused } from '../../clients/api.ts';
import type { Acknowledged, Conversation } from '../../clients/conversation.ts';
import { Viewer } from '../../clients/viewer.ts';
import { callId, effectKey, type PlannedStep } from '../../deployment/plan.ts';
import { type Act, answered, asked, ASKING, comes } from '../act.ts';
import { askerIsGone } from '../asker.ts';
import { oneOf } from '../random.ts';

export const asksItsClient: Act = async (talk, { counts }) => {
  const message = await talk.say(ASKING);
  await asked(talk, message);
  await talk.answerCalls();
  await answered(talk, counts);
  counts.add('client tool calls');
};

/** The client dies with the question, as does the replica that asked; one that comes in its place is told all of it. */
export const clientComesBack: Act = async (talk, surroundings) => {
  const { counts, api, watch, watchers } = surroundings;
  const message = await talk.say(ASKING);
  await asked(talk, message);
  const isGone = await askerIsGone(talk.chatId, surroundings);
  const client = new Viewer({ api, chatId: talk.chatId, ...watch() });
  watchers.push(client);
  await comes(talk, 'to be told what is asked', ({ awaited }) => awaited.length > 0, client);
  await talk.answerCalls(client.view, message);
  await answered(talk, counts);
  counts.add('clients that died and came back');
  if (isGone) counts.add('results after the replica that asked was gone');
};

/** Two programs believe that they are the client: one of them is told that it is not. */
export const twoClientsAnswer: Act = async (talk, { counts }) => {
  const message = await talk.say(ASKING);
  await asked(talk, message);
  const tool_call_id = callId(message.id, 0);
  const both = await Promise.all(
    ['one', 'other'].map(async (output) => {
      try {
        const results = [{ tool_call_id, output }];
        await talk.api.post(`/chats/${talk.chatId}/tool-results`, { results });
        message.submitted = results;
        return true;
      } catch (error) {
        if (error instanceof RequestRefused && error.status === 409) return false;
        throw error;
      }
    }),
  );
  if (both.filter(Boolean).length !== 1) {
    throw new Error(`chat ${talk.chatId}: of two results at once ${both.join()} counted`);
  }
  await answered(talk, counts);
  counts.add('results of two clients at once');
};

const OPTIONS = ['one', 'other'];
const QUESTION: readonly PlannedStep[] = [
  {
    say: 2,
    call: {
      tool: 'ask_user_question',
      args: { question: 'Which?', options: OPTIONS.map((label) => ({ label })) },
    },
  },
  { say: 4, pace: 20 },
];

export const answersAQuestion: Act = async (talk, surroundings) => {
  const { counts, random } = surroundings;
  const message = await talk.say(QUESTION);
  await asked(talk, message);
  if (random() < 0.2) await askerIsGone(talk.chatId, surroundings);
  const answers: Answer[] = [
    'Neither',
    { selected: ['other'] },
    { selected: ['one'], text: 'I think' },
  ];
  const answer = oneOf(random, answers);
  await reply(talk, message, 0, answer);
  message.submitted = [{ tool_call_id: callId(message.id, 0), output: answer }];
  await answered(talk, counts);
  counts.add('questions answered');
};

const propose: PlannedStep = { say: 1, call: { tool: 'propose_plan', args: { plan: 'Count.' } } };
const PLANNING: readonly PlannedStep[] = [
  { say: 2, call: { tool: 'count', ms: 30 } },
  propose,
  propose,
  { say: 2, call: { tool: 'count', ms: 30 } },
  { say: 4, pace: 20 },
];

/** Nothing is done before the second proposal was accepted. */
export const plans: Act = async (talk, { counts, api }) => {
  const path = `/chats/${talk.chatId}`;
  const { repeated } = await api.patch(path, { plan_mode: true });
  if (repeated) {
    // It may take effect once more when the plan was accepted.
    talk.isDoubtful = true;
    return;
  }
  const message = await talk.say(PLANNING);
  message.forbidden = [effectKey(message.id, 0)];
  await asked(talk, message, 1);
  await reply(talk, message, 1, { accepted: false, text: 'Not yet.' });
  counts.add('plans rejected');
  await asked(talk, message, 2);
  const at = Date.now();
  await reply(talk, message, 2, { accepted: true });
  message.decided = [
    { tool_call_id: callId(message.id, 3), key: effectKey(message.id, 3), decision: 'allow', at },
  ];
  await answered(talk, counts);
  counts.add('plans accepted');
  const { plan_mode } = await api.get<Chat>(path);
  if (plan_mode) throw new Error(`chat ${talk.chatId}: plan mode goes on after it was accepted`);
};

const reply = (talk: Conversation, { id }: Acknowledged, step: number, answer: Answer) =>
  talk.api.post(`/chats/${talk.chatId}/answers`, { tool_call_id: callId(id, step), answer });
