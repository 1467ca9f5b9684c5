import type { Message } from '@chatd/protocol';
import { SUMMARY_TOOL } from '../../../packages/loop/src/history/message.ts';
import { RequestRefused } from '../../clients/api.ts';
import type { Conversation } from '../../clients/conversation.ts';
import type { PlannedStep } from '../../deployment/plan.ts';
import { type Act, answered, comes, TALK } from '../act.ts';

/** The model complains when it is asked for this without a summary before it. */
const AFTERWARDS: readonly PlannedStep[] = [{ say: 4, pace: 20, summarised: true }];

/** The first answer fills more of the context than may be. */
const TOO_MUCH: readonly PlannedStep[] = [
  { say: 3, call: { tool: 'count', ms: 30 }, tokens: 150_000 },
  { say: 4, pace: 20, summarised: true },
];

export const compacts: Act = async (talk, { counts }) => {
  const before = talk.view.lastMessage?.id ?? 0;
  try {
    await talk.api.post(`/chats/${talk.chatId}/compact`, undefined);
  } catch (error) {
    // An interrupt has left nothing since the last summary.
    if (!(error instanceof RequestRefused && error.message.includes('nothing_to_compact')))
      throw error;
    await talk.say(TALK);
    await answered(talk, counts);
    return;
  }
  await comes(
    talk,
    'for a summary',
    ({ status, messages }) => status === 'waiting' && summaryAfter(messages, before) !== undefined,
  );
  demandSummary(talk, before);
  await talk.say(AFTERWARDS);
  await answered(talk, counts);
  counts.add('compactions on request');
};

export const isCompacted: Act = async (talk, { counts }) => {
  const before = talk.view.lastMessage?.id ?? 0;
  await talk.say(TOO_MUCH);
  await answered(talk, counts);
  demandSummary(talk, before);
  counts.add('compactions of a full context');
};

const summaryAfter = (messages: readonly Message[], id: number) =>
  messages
    .filter((message) => message.id > id)
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool-result' && part.tool_name === SUMMARY_TOOL);

function demandSummary({ chatId, view }: Conversation, before: number): void {
  const summary = summaryAfter(view.messages, before);
  if (summary?.type !== 'tool-result' || summary.is_error === true) {
    throw new Error(`chat ${chatId} was not summarised: ${JSON.stringify(summary)}`);
  }
}
