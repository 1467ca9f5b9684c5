import type { Chat } from '@chatd/protocol';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { useChatProperty } from '../../state/chats/use-chat-list.ts';
import { ErrorCard } from './error-card.tsx';
import { answers, VersionSwitcher } from '../versions/version-switcher.tsx';
import { RetryNotice } from './retry-notice.tsx';

/** The status below the last message. Its space is reserved, so that nothing moves. */
export function Tail({ chatId, store }: { readonly chatId: string; readonly store: ChatStore }) {
  const waits = useChatProperty(chatId, isQueued);
  const status = useCell(store.status);
  const retry = useCell(store.retry);
  const error = useCell(store.error);
  const hasOutput = useCell(store.live.list).length > 0;
  if (error !== null) {
    return (
      <>
        <ErrorCard error={error} chatId={chatId} store={store} />
        <VersionSwitcher store={store} isHere={unanswered(store)} />
      </>
    );
  }
  if (retry !== null) return <RetryNotice retry={retry} />;
  return (
    <div className="h-6 text-sm text-muted">
      {status === 'running' && <Working word={wordFor(waits, hasOutput)} />}
      {status === 'interrupting' && <Working word="Stopping" />}
      {status === 'waiting' && <VersionSwitcher store={store} isHere={unanswered(store)} />}
    </div>
  );
}

/** The other answers to a message whose new answer has failed or was interrupted. */
function unanswered({ messages }: ChatStore) {
  const last = messages.get().at(-1);
  return answers(last?.role === 'user' ? last.id : 0);
}

const isQueued = (chat: Chat | undefined) => chat?.queued_for_capacity === true;

function wordFor(waits: boolean, hasOutput: boolean): string {
  if (waits) return 'Queued: other chats are running';
  return hasOutput ? '' : 'Working';
}

function Working({ word }: { readonly word: string }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="flex gap-1">
        <span className="size-1.5 animate-pulse rounded-full bg-muted" />
        <span className="size-1.5 animate-pulse rounded-full bg-muted [animation-delay:200ms]" />
        <span className="size-1.5 animate-pulse rounded-full bg-muted [animation-delay:400ms]" />
      </span>
      {word}
    </span>
  );
}
