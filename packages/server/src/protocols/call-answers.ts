import { Answer, type ApprovalDecision, type Json } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { ChatRow } from '../chat/row.ts';
import type { ToolResult } from '../chat/transitions/submit-tool-results.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** Answers to the calls that a chat waits for. */
export interface CallAnswers {
  readonly results: readonly ToolResult[];
  readonly decisions: readonly ApprovalDecision[];
  readonly answers: readonly { readonly callId: string; readonly answer: Answer }[];
}

export type OnRemembered = (tx: Transaction, rules: number) => Promise<void>;

/** The turn continues with the last one. `onRemembered`: see `ApprovalCommands`. */
export async function submitAnswers(
  { client, approvals }: Store,
  chat: ChatRow,
  userId: string,
  { results, decisions, answers }: CallAnswers,
  { tx, onRemembered }: { readonly tx?: Transaction; readonly onRemembered?: OnRemembered } = {},
): Promise<ChatRow> {
  let now = chat;
  if (results.length > 0) now = (await client.submitToolResults(chat.id, results, tx)).chat;
  if (decisions.length > 0) {
    now = (await approvals.decide(chat, decisions, tx, onRemembered, userId)).chat;
  }
  for (const { callId, answer } of answers) {
    now = (await approvals.answer(chat.id, callId, answer, tx)).chat;
  }
  return now;
}

/** An answer to a question or a plan. Text may be JSON. */
export function answerIn(given: Json | undefined): Answer {
  for (const one of [typeof given === 'string' ? parsed(given) : given, given]) {
    const answer = Answer.safeParse(one);
    if (answer.success) return answer.data;
  }
  throw new Refused('invalid_answer', 'The answer is not valid for this question.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
