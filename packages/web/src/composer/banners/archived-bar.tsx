import type { Chat } from '@chatd/protocol';
import { Archive } from 'lucide-react';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import { Button } from '../../ui/button.tsx';
import { Banner } from './banner.tsx';

/** Instead of the composer; what was written is still there when the chat comes back. */
export function ArchivedBar({ chat }: { readonly chat: Chat }) {
  const actions = useChatActions();
  return (
    <Banner
      kind="info"
      icon={<Archive />}
      actions={
        <Button size="small" kind="primary" onClick={() => void actions.unarchive(chat)}>
          Unarchive
        </Button>
      }
    >
      This chat is archived. Unarchive it to go on with it.
    </Banner>
  );
}
