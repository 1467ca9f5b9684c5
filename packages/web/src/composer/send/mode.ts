import type { AwaitedCall, ChatStatus, Message } from '@chatd/protocol';

/** What the send button does. */
export type SendMode = 'send' | 'queue' | 'answer' | 'save';

const BUSY: Record<ChatStatus, boolean> = {
  waiting: false,
  error: false,
  running: true,
  interrupting: true,
  requires_action: true,
};

export const isBusy = (status: ChatStatus): boolean => BUSY[status];

export function modeOf(state: {
  readonly editing: Message | null;
  readonly status: ChatStatus;
  /** The question that a text answers. */
  readonly question: AwaitedCall | undefined;
  /** With files attached, the text is a message and not an answer. */
  readonly withFiles: boolean;
}): SendMode {
  if (state.editing !== null) return 'save';
  if (state.question !== undefined && !state.withFiles) return 'answer';
  return isBusy(state.status) ? 'queue' : 'send';
}

export const PLACEHOLDERS: Record<SendMode, string> = {
  send: 'Write a message',
  queue: 'Write the next message',
  answer: 'Write your answer',
  save: 'Edit the message',
};
