import { ArrowDown, ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useDeferredCell, useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { jumpToUser } from './jump.ts';
import { NEXT_KEYS, PREVIOUS_KEYS } from './use-timeline-commands.ts';
import type { Viewport } from './viewport/viewport.ts';

interface JumpButtonsProps {
  readonly store: ChatStore;
  readonly viewport: Viewport;
}

/** Shown when scrolled up. */
export function JumpButtons({ store, viewport }: JumpButtonsProps) {
  const atEnd = useCell(viewport.atEnd);
  const unread = useUnread(store, atEnd);
  if (atEnd) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <div className="pointer-events-auto flex items-center gap-1 rounded-full border border-line bg-raised p-1 shadow-pop">
        <IconButton
          label="Your previous message"
          keys={PREVIOUS_KEYS}
          size="small"
          className="rounded-full"
          onClick={() => jumpToUser(store, viewport, -1)}
        >
          <ChevronUp />
        </IconButton>
        <IconButton
          label="Your next message"
          keys={NEXT_KEYS}
          size="small"
          className="rounded-full"
          onClick={() => jumpToUser(store, viewport, 1)}
        >
          <ChevronDown />
        </IconButton>
        <button
          type="button"
          onClick={viewport.toEnd}
          className="flex h-7 items-center gap-1.5 rounded-full px-3 text-sm font-medium hover:bg-hover"
        >
          <ArrowDown aria-hidden className="size-4" />
          Jump to latest
          {unread > 0 && (
            <span className="rounded-full bg-accent px-1.5 text-xs text-on-accent">
              {unread} new
            </span>
          )}
        </button>
      </div>
    </div>
  );
}

/** Messages that arrived while scrolled up. */
function useUnread(store: ChatStore, atEnd: boolean): number {
  const messages = useDeferredCell(store.messages);
  const newest = messages.at(-1)?.id ?? 0;
  const [seen, setSeen] = useState(newest);
  useEffect(() => {
    if (atEnd) setSeen(newest);
  }, [atEnd, newest]);
  if (atEnd) return 0;
  return messages.filter(({ id, role }) => id > seen && role !== 'tool').length;
}
