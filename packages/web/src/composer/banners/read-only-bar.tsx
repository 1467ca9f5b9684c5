import type { Chat } from '@chatd/protocol';
import { Eye } from 'lucide-react';
import { Banner } from './banner.tsx';

/** Replaces the composer for users who cannot write in the chat. */
export function ReadOnlyBar({ chat }: { readonly chat: Chat }) {
  const owner = chat.owner_name ?? 'the owner';
  return (
    <Banner kind="info" icon={<Eye />}>
      {chat.archived
        ? `This chat is archived. Only its owner, ${owner}, can unarchive it.`
        : `You can read this chat. Only its owner, ${owner}, and editors can write.`}
    </Banner>
  );
}
