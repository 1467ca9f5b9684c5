import type { BodyOf } from '@chatd/client';
import type { AwaitedCall } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { announce } from '../announcements.tsx';
import { whyNotSent } from './refusals.ts';

export type QuestionAnswer = BodyOf<'answerQuestion'>['answer'];

const PLAN_TOOL = 'propose_plan';

/** Sends the draft as the answer to the agent's question. */
export const writtenAnswer = ({ tool_name }: AwaitedCall, text: string): QuestionAnswer =>
  tool_name === PLAN_TOOL ? { accepted: false, text } : text;

export async function answer(
  composing: ComposerState,
  chatId: string,
  { tool_call_id }: AwaitedCall,
  answer: QuestionAnswer,
): Promise<boolean> {
  composing.notice.set(null);
  composing.pending.set('Answering');
  try {
    await client.call('answerQuestion', {
      params: { chat_id: chatId },
      body: { tool_call_id, answer },
    });
    announce('Answered');
    return true;
  } catch (error) {
    composing.notice.set(whyNotSent(error));
    return false;
  } finally {
    composing.pending.set(null);
  }
}
