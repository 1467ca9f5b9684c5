import type { Chat } from '@chatd/protocol';

export type ChatState =
  | 'idle'
  | 'working'
  | 'queued'
  | 'stopping'
  | 'needs-you'
  | 'interrupted'
  | 'error';

export const CHAT_STATE_TEXT: Readonly<Record<ChatState, string>> = {
  idle: 'Idle',
  working: 'Working',
  queued: 'Queued',
  stopping: 'Stopping',
  'needs-you': 'Needs input',
  interrupted: 'Interrupted',
  error: 'Failed',
};

type Shown = Pick<Chat, 'status' | 'interrupted' | 'queued_for_capacity'>;

export function stateOf({ status, interrupted, queued_for_capacity }: Shown): ChatState {
  switch (status) {
    case 'waiting':
      return interrupted ? 'interrupted' : 'idle';
    case 'running':
      return queued_for_capacity ? 'queued' : 'working';
    case 'interrupting':
      return 'stopping';
    case 'requires_action':
      return 'needs-you';
    case 'error':
      return 'error';
  }
}
