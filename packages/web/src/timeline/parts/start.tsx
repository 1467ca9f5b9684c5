import { MessageSquare } from 'lucide-react';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';

/** Above the first loaded message. */
export function Start({ store }: { readonly store: ChatStore }) {
  const state = useCell(store.older.state);
  const loaded = useCell(store.loaded);
  const empty = useCell(store.messages).length === 0;
  if (loaded && empty) return <EmptyChat />;
  switch (state.kind) {
    case 'unknown':
    case 'all':
      return <div className="h-3" />;
    case 'more':
    case 'loading':
      return (
        <div className="flex h-12 items-center justify-center gap-2 text-sm text-muted">
          <Spinner /> Loading earlier messages
        </div>
      );
    case 'failed':
      return (
        <div className="flex min-h-12 flex-wrap items-center justify-center gap-2 py-2 text-sm text-muted">
          Earlier messages could not be loaded: {state.reason}
          <Button size="small" onClick={() => void store.older.load()}>
            Try again
          </Button>
        </div>
      );
  }
}

function EmptyChat() {
  return (
    <div className="flex flex-col items-center gap-2 pt-[18vh] text-center text-muted">
      <MessageSquare aria-hidden className="size-8" />
      <p className="font-medium text-text">No messages yet</p>
      <p className="text-sm">Write the first message below.</p>
    </div>
  );
}
