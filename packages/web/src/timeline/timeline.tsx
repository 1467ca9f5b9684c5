import { lazy, memo, Suspense } from 'react';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { Spinner } from '../ui/spinner.tsx';

export interface TimelineProps {
  readonly chatId: string;
  readonly store: ChatStore;
}

/** What reads markdown and draws cards comes with the first chat, while its messages are on their way. */
const Conversation = lazy(() => import('./conversation.tsx'));

/** A chat is named by its id alone: whatever happens to its row draws nothing of the conversation again. */
export const Timeline = memo(function Timeline(props: TimelineProps) {
  return (
    <Suspense
      fallback={<Spinner label="Opening the chat" className="mx-auto mt-[30vh] block size-6" />}
    >
      <Conversation {...props} />
    </Suspense>
  );
});
