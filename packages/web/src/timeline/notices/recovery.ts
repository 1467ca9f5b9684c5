import type { Message } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { toast } from '../../ui/toast.ts';

/** How to continue after a failure without losing work. */
export type Recovery =
  /** No step was committed: answer the same message again. */
  | { readonly kind: 'resend'; readonly message: Message }
  /** Steps were committed: ask for the rest and keep them. */
  | { readonly kind: 'continue' };

export function recoveryOf(messages: readonly Message[]): Recovery | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  return last.role === 'user' ? { kind: 'resend', message: last } : { kind: 'continue' };
}

export async function recover(chatId: string, how: Recovery): Promise<void> {
  const params = { chat_id: chatId };
  try {
    if (how.kind === 'continue') {
      await client.call('sendMessage', { params, body: { content: 'Continue.' } });
    } else {
      await client.call('regenerateAnswer', {
        params: { ...params, message_id: how.message.id },
        body: {},
      });
    }
  } catch (error) {
    toast.error(explain(error));
  }
}
