import type { Message, QueuedMessage } from '@chatd/protocol';
import type { Written } from '../store/commands/write.ts';
import { presentMessage } from './message.ts';
import { presentQueuedMessage } from './queued-message.ts';

/**
 * Where a message went: into the queue, or into the history. There it is the last one of the user that is not
 * from the queue: a chat in error takes its backlog first, and then the new message waits behind it.
 */
export function sentMessage(written: Written): { message: Message } | { queued: QueuedMessage } {
  if (written.queued !== null) return { queued: presentQueuedMessage(written.queued) };
  const message = written.messages.findLast(
    ({ role, queued_message_id }) => role === 'user' && queued_message_id === null,
  );
  if (message === undefined) throw new Error('a message was sent and went nowhere');
  return { message: presentMessage(message) };
}
