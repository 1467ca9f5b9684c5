import { ChatdProblem } from '@chatd/client';
import type { QueuedMessage } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { draftOf } from '../../state/draft-of.ts';
import { announce } from '../announcements.tsx';
import { contentOf } from '../send/content.ts';
import { toast } from '../../ui/toast.ts';

const paramsOf = ({ chat_id, id }: QueuedMessage) => ({ chat_id, queued_message_id: id });

export function moveTo(message: QueuedMessage, position: number): Promise<boolean> {
  return made(`Moved to position ${position + 1}`, () =>
    client.call('updateQueuedMessage', { params: paramsOf(message), body: { position } }),
  );
}

export function setQueueMode(
  message: QueuedMessage,
  busy_behavior: 'queue' | 'steer',
): Promise<boolean> {
  const words = busy_behavior === 'steer' ? 'Sends at the next step' : 'Sends after this turn';
  return made(words, () =>
    client.call('updateQueuedMessage', { params: paramsOf(message), body: { busy_behavior } }),
  );
}

/** Keeps parts other than the text. */
export function editText(message: QueuedMessage, text: string): Promise<boolean> {
  const content = contentOf({ ...draftOf(message), text });
  return made('Saved', () =>
    client.call('updateQueuedMessage', { params: paramsOf(message), body: { content } }),
  );
}

export function promote(message: QueuedMessage): Promise<boolean> {
  return made('Sending now', () =>
    client.call('promoteQueuedMessage', { params: paramsOf(message) }),
  );
}

export function remove(message: QueuedMessage): Promise<boolean> {
  return made('Removed from the queue', () =>
    client.call('deleteQueuedMessage', { params: paramsOf(message) }),
  );
}

/** False: the change failed and the error was announced. */
async function made(words: string, call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    announce(words);
    return true;
  } catch (error) {
    const gone = error instanceof ChatdProblem && error.status === 404;
    toast.error(gone ? 'The agent has already received this message.' : explain(error));
    return false;
  }
}
