import type { Content, Message } from '@chatd/protocol';
import { toast } from 'sonner';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';

type InputContent = Parameters<typeof client.call<'sendMessage'>>[1]['body']['content'];

/** How to continue after a failure without losing work. */
export type Recovery =
  /** No step was committed: send the same message again. */
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
      await client.call('editMessage', {
        params: { ...params, message_id: how.message.id },
        body: { content: inputOf(how.message) },
      });
    }
  } catch (error) {
    toast.error(explain(error));
  }
}

function inputOf({ content }: Message): InputContent {
  return content.flatMap((part): Exclude<Content, string> => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }];
      case 'file':
        return [{ type: 'file', file_id: part.file_id }];
      case 'file-reference':
        return [part];
      case 'reasoning':
      case 'tool-call':
      case 'tool-result':
      case 'source':
        return [];
    }
  });
}
