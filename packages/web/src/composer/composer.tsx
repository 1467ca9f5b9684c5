import type { Chat } from '@chatd/protocol';
import { useLocation } from 'wouter';
import { client } from '../api/client.ts';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { composingOf } from '../state/composing.ts';
import { Button } from '../ui/button.tsx';

/** Without a chat it begins one. */
export interface ComposerProps {
  readonly open?: { readonly chat: Chat; readonly store: ChatStore };
}

export function Composer({ open }: ComposerProps) {
  const composing = composingOf(open?.chat.id ?? 'new');
  const text = useCell(composing.text);
  const [, go] = useLocation();
  const send = async () => {
    composing.text.set('');
    if (open === undefined) {
      const chat = await client.call('createChat', { body: { content: text } });
      go(`/chats/${chat.id}`);
    } else {
      const params = { chat_id: open.chat.id };
      await client.call('sendMessage', { params, body: { content: text } });
    }
  };
  return (
    <form
      className="flex gap-2 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label="Message"
        className="flex-1 rounded-lg border border-line p-2"
        value={text}
        onChange={({ target }) => composing.text.set(target.value)}
      />
      <Button type="submit" kind="primary">
        Send
      </Button>
    </form>
  );
}
