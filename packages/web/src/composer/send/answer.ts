import type { BodyOf } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { whyNotSent } from './refusals.ts';

export type QuestionAnswer = BodyOf<'answerQuestion'>['answer'];

export const PLAN_TOOL = 'propose_plan';

/** Sends the draft as the answer to the agent's question. */
export const writtenAnswer = ({ tool_name }: AwaitedCall, text: string): QuestionAnswer =>
  tool_name === PLAN_TOOL ? { accepted: false, text } : text;

export async function answer(
  composing: ComposerState,
  chatId: string,
  { tool_call_id }: AwaitedCall,
  answer: QuestionAnswer,
): Promise<boolean> {
  return await said(composing, 'Answered', () =>
    client.call('answerQuestion', {
      params: { chat_id: chatId },
      body: { tool_call_id, answer },
    }),
  );
}

export async function decide(
  composing: ComposerState,
  chatId: string,
  calls: readonly AwaitedCall[],
  decision: 'allow' | 'deny',
): Promise<boolean> {
  const decisions = calls.map(({ tool_call_id }) => ({ tool_call_id, decision }));
  return await said(composing, decision === 'allow' ? 'Allowed' : 'Denied', () =>
    client.call('decideApprovals', { params: { chat_id: chatId }, body: { decisions } }),
  );
}

async function said(
  composing: ComposerState,
  done: string,
  call: () => Promise<unknown>,
): Promise<boolean> {
  composing.notice.set(null);
  composing.pending.set('Answering');
  try {
    await call();
    announce(done);
    return true;
  } catch (error) {
    composing.notice.set(whyNotSent(error));
    return false;
  } finally {
    composing.pending.set(null);
  }
}
