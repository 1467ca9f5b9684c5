import type { Chat } from '@chatd/protocol';
import { Archive } from 'lucide-react';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import { Button } from '../../ui/button.tsx';
import { Banner } from './banner.tsx';

/** Replaces the composer. The draft is kept. */
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
      This chat is archived. Unarchive it to continue.
    </Banner>
  );
}
