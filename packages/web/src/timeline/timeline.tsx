import type { Chat } from '@chatd/protocol';
import { lazy, Suspense } from 'react';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { Spinner } from '../ui/spinner.tsx';

export interface TimelineProps {
  readonly chat: Chat;
  readonly store: ChatStore;
}

/** What reads markdown and draws cards comes with the first chat, while its messages are on their way. */
const Conversation = lazy(() => import('./conversation.tsx'));

export function Timeline(props: TimelineProps) {
  return (
    <Suspense
      fallback={<Spinner label="Opening the chat" className="mx-auto mt-[30vh] block size-6" />}
    >
      <Conversation {...props} />
    </Suspense>
  );
}
