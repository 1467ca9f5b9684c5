import type { Message } from '@chatd/protocol';
import { SUMMARY_TOOL } from '../../../packages/loop/src/history/message.ts';
import { RequestRefused } from '../../clients/api.ts';
import type { Conversation } from '../../clients/conversation.ts';
import type { PlannedStep } from '../../deployment/plan.ts';
import { type Action, answered, waitFor, TEXT } from '../action.ts';

/** The model reports a problem if the prompt has no summary. */
const AFTER_SUMMARY: readonly PlannedStep[] = [{ chunks: 4, paceMs: 20, summarized: true }];

/** The first step exceeds the compaction threshold. */
const FULL_CONTEXT: readonly PlannedStep[] = [
  { chunks: 3, call: { tool: 'count', ms: 30 }, tokens: 150_000 },
  { chunks: 4, paceMs: 20, summarized: true },
];

export const compactOnRequest: Action = async (chat, { counts }) => {
  const before = chat.view.lastMessage?.id ?? 0;
  try {
    await chat.api.post(`/chats/${chat.chatId}/compact`, undefined);
  } catch (error) {
    // After an interrupt, there may be nothing to compact.
    if (!(error instanceof RequestRefused && error.message.includes('nothing_to_compact')))
      throw error;
    await chat.send(TEXT);
    await answered(chat, counts);
    return;
  }
  await waitFor(
    chat,
    'a summary',
    ({ status, messages }) => status === 'waiting' && summaryAfter(messages, before) !== undefined,
  );
  expectSummary(chat, before);
  await chat.send(AFTER_SUMMARY);
  await answered(chat, counts);
  counts.add('compactions on request');
};

export const compactFullContext: Action = async (chat, { counts }) => {
  const before = chat.view.lastMessage?.id ?? 0;
  await chat.send(FULL_CONTEXT);
  await answered(chat, counts);
  expectSummary(chat, before);
  counts.add('automatic compactions');
};

const summaryAfter = (messages: readonly Message[], id: number) =>
  messages
    .filter((message) => message.id > id)
    .flatMap(({ content }) => content)
    .find((part) => part.type === 'tool-result' && part.tool_name === SUMMARY_TOOL);

function expectSummary({ chatId, view }: Conversation, before: number): void {
  const summary = summaryAfter(view.messages, before);
  if (summary?.type !== 'tool-result' || summary.is_error === true) {
    throw new Error(`chat ${chatId} was not summarized: ${JSON.stringify(summary)}`);
  }
}
