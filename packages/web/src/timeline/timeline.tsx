import { memo } from 'react';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { Spinner } from '../ui/spinner.tsx';

export interface TimelineProps {
  readonly chatId: string;
  readonly store: ChatStore;
}

/** The Markdown renderer and the cards load with the first chat, in parallel with its messages. */
const Conversation = onDemand(
  async () => (await import('./conversation.tsx')).default,
  <div className="mt-[30vh] text-center">
    <Spinner label="Loading chat" className="size-6" />
  </div>,
);
Conversation.preload();

/** Takes only the id, so that changes to the chat's row do not render the conversation again. */
export const Timeline = memo(function Timeline(props: TimelineProps) {
  return <Conversation {...props} />;
});
