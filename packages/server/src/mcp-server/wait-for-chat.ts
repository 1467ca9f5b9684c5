import type { AwaitedCall, ChatError, ChatEvent, Message } from '@chatd/protocol';
import type { ApiCalls } from './api-calls.ts';

/** The number of messages in which the last answer is searched. */
const RECENT = 50;
const PROGRESS_LENGTH = 200;

export interface ChatResult {
  readonly chat_id: string;
  readonly status: string;
  /** The text of the last answer. */
  readonly text: string;
  readonly error?: string;
  /** Calls that wait for an answer, an approval, or a result. */
  readonly pending?: readonly AwaitedCall[];
  readonly note?: string;
}

/** Waits until the chat is idle or needs an answer, for at most `seconds`. */
export async function waitForChat(
  api: ApiCalls,
  chatId: string,
  { seconds, signal, report }: WaitOptions,
): Promise<ChatResult> {
  const stopped = new AbortController();
  let status = 'running';
  let pending: readonly AwaitedCall[] = [];
  let error: ChatError | undefined;
  const onEvent = (event: ChatEvent) => {
    if (event.type === 'status') {
      ({ status } = event);
      if (status === 'waiting') stopped.abort();
    }
    if (event.type === 'error') {
      ({ error } = event);
      stopped.abort();
    }
    if (event.type === 'action_required') {
      pending = event.tool_calls;
      stopped.abort();
    }
    const progress = progressOf(event);
    if (progress !== '') report(progress.slice(0, PROGRESS_LENGTH));
  };
  const limit = AbortSignal.timeout(seconds * 1000);
  await api.follow(chatId, onEvent, AbortSignal.any([stopped.signal, limit, signal]));
  const { messages } = await api.call('listMessages', {
    params: { chat_id: chatId },
    query: { limit: RECENT },
  });
  return {
    chat_id: chatId,
    status,
    text: lastAnswer(messages),
    ...(error !== undefined && { error: error.message }),
    ...(pending.length > 0 && { pending }),
    ...(!stopped.signal.aborted && { note: 'Still running. Call wait_for_chat again.' }),
  };
}

interface WaitOptions {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Tells the client what the agent does. */
  readonly report: (message: string) => void;
}

/** Committed text and complete calls, not every delta. */
function progressOf(event: ChatEvent): string {
  if (event.type === 'message' && event.message.role === 'assistant') return textOf(event.message);
  if (event.type !== 'message_part' || event.part.type !== 'tool-call') return '';
  const { tool_name, args } = event.part;
  return args === undefined ? '' : `${tool_name} ${JSON.stringify(args)}`;
}

export const textOf = ({ content }: Message): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

function lastAnswer(messages: readonly Message[]): string {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return (
    messages
      .slice(asked + 1)
      .filter(({ role }) => role === 'assistant')
      .map(textOf)
      .findLast((text) => text !== '') ?? ''
  );
}
