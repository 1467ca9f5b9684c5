import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Viewport } from '../viewport/viewport.ts';
import { findOpen } from './find-state.ts';
import { unpaint } from './highlight.ts';
import { type Match, matchesIn, patternOf } from './matches.ts';
import { Highlights } from './show-match.ts';
import './find.css';

interface FindBarProps {
  readonly store: ChatStore;
  readonly viewport: Viewport;
}

/** The browser's own search finds only rendered rows. */
export function FindBar(props: FindBarProps) {
  const open = useCell(findOpen);
  useEffect(() => () => findOpen.set(false), []);
  return open ? <OpenFindBar {...props} /> : null;
}

function OpenFindBar({ store, viewport }: FindBarProps) {
  const [words, setWords] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const older = useCell(store.older.state);
  const { matches, at, step } = useFind(store, viewport, useDeferredValue(words));
  useEffect(() => input.current?.focus(), []);
  return (
    <div
      role="search"
      aria-label="Find in this chat"
      className="absolute top-2 right-4 z-10 flex max-w-[calc(100%-2rem)] flex-col gap-1 rounded-xl border border-line bg-raised p-1.5 shadow-pop"
    >
      <div className="flex items-center gap-1">
        <input
          ref={input}
          type="search"
          aria-label="Find in this chat"
          placeholder="Find in this chat"
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') close();
            // Pressing the shortcut twice opens the browser's own search.
            if (event.key === 'f' && (event.ctrlKey || event.metaKey)) event.stopPropagation();
          }}
          className="h-8 w-48 min-w-0 rounded-md border border-line bg-background px-2"
        />
        <span role="status" className="min-w-16 text-center text-xs text-muted tabular-nums">
          {patternOf(words) !== undefined && countOf(matches.length, at)}
        </span>
        <IconButton label="Previous match" size="small" onClick={() => step(-1)}>
          <ChevronUp />
        </IconButton>
        <IconButton label="Next match" size="small" onClick={() => step(1)}>
          <ChevronDown />
        </IconButton>
        <IconButton label="Close" size="small" onClick={close}>
          <X />
        </IconButton>
      </div>
      {older.kind !== 'all' && (
        <p className="px-1 text-xs text-muted">Earlier messages are still loading.</p>
      )}
    </div>
  );
}

function useFind(store: ChatStore, viewport: Viewport, words: string) {
  const messages = useCell(store.messages);
  const pattern = useMemo(() => patternOf(words), [words]);
  const matches = useMemo(() => matchesIn(store, messages, pattern), [store, messages, pattern]);
  const [current, setCurrent] = useState<Match>();
  // Where the search begins: at the top of what is visible.
  const [start] = useState(() => viewport.rows[viewport.topRow]?.messageId ?? 0);
  const from = current?.messageId ?? start;
  const known = matches.findIndex(({ key, nth }) => key === current?.key && nth === current.nth);
  const next = matches.findIndex(({ messageId }) => messageId >= from);
  const at = known !== -1 ? known : next === -1 ? matches.length - 1 : next;
  const match = matches[at];

  const highlights = useMemo(
    () => pattern && new Highlights(viewport, store, pattern),
    [viewport, store, pattern],
  );
  useEffect(() => {
    if (highlights === undefined) return;
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(highlights.paint);
    };
    soon();
    const timeline = document.querySelector('[data-timeline]');
    const observer = new MutationObserver(soon);
    if (timeline !== null) {
      observer.observe(timeline, { childList: true, characterData: true, subtree: true });
    }
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      unpaint();
    };
  }, [highlights]);
  const place = match && `${match.key} ${match.nth}`;
  useEffect(() => {
    if (match === undefined || highlights === undefined) return;
    const leaving = new AbortController();
    void highlights.show(match, leaving.signal);
    return () => leaving.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the same match in a new list stays where it is
  }, [highlights, place]);

  const step = (by: -1 | 1) => setCurrent(matches[(at + by + matches.length) % matches.length]);
  return { matches, at, step };
}

function close(): void {
  findOpen.set(false);
  document.querySelector<HTMLElement>('[data-timeline]')?.focus({ preventScroll: true });
}

const countOf = (count: number, at: number): string =>
  count === 0 ? 'No matches' : `${at + 1} of ${count}`;
