import type { Chat } from '@chatd/protocol';
import { memo, useRef } from 'react';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { composerStateOf } from '../state/composer-state.ts';
import { Announcements } from './announcements.tsx';
import { isOwn } from '../state/access.ts';
import { ArchivedBar } from './banners/archived-bar.tsx';
import { ReadOnlyBar } from './banners/read-only-bar.tsx';
import { ChatComposer } from './chat-composer.tsx';
import { COMPOSER_NAME } from './send/use-stop.ts';

export const Composer = memo(function Composer({
  chat,
  store,
}: {
  readonly chat: Chat;
  readonly store: ChatStore;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <section
      aria-label={COMPOSER_NAME}
      className="column flex flex-col gap-2 pt-1 pb-[max(0.5rem,env(safe-area-inset-bottom))]"
    >
      {chat.role === 'viewer' || (chat.archived && !isOwn(chat)) ? (
        <ReadOnlyBar chat={chat} />
      ) : chat.archived ? (
        <ArchivedBar chat={chat} />
      ) : (
        <ChatComposer
          chat={chat}
          store={store}
          composing={composerStateOf(chat.id)}
          field={field}
        />
      )}
      <Announcements />
    </section>
  );
});
