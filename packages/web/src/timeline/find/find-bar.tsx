import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { useCell } from '../../state/cell.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Viewport } from '../viewport/viewport.ts';
import { findOpen } from './find-state.ts';
import { matchesIn } from './matches.ts';

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
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const messages = useCell(store.messages);
  const older = useCell(store.older.state);
  const wanted = useDeferredValue(words);
  const matches = useMemo(() => matchesIn(messages, wanted), [messages, wanted]);
  const match = matches[at];
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (match === undefined) return;
    const rows = viewport.rows.filter(({ messageId }) => messageId === match.messageId);
    const row = rows.find((candidate) => holds(candidate, match.found)) ?? rows[0];
    if (row !== undefined) viewport.toRow(row.key, 80);
  }, [match, viewport]);
  const step = (by: number) =>
    setAt((before) => (matches.length === 0 ? 0 : (before + by + matches.length) % matches.length));
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
          onChange={({ target }) => {
            setWords(target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') close();
            // Pressing the shortcut twice opens the browser's own search.
            if (event.key === 'f' && (event.ctrlKey || event.metaKey)) event.stopPropagation();
          }}
          className="h-8 w-48 min-w-0 rounded-md border border-line bg-background px-2"
        />
        <span role="status" className="min-w-16 text-center text-xs text-muted">
          {countOf(matches.length, at, wanted)}
        </span>
        <IconButton label="Previous match" size="small" onClick={() => step(1)}>
          <ChevronUp />
        </IconButton>
        <IconButton label="Next match" size="small" onClick={() => step(-1)}>
          <ChevronDown />
        </IconButton>
        <IconButton label="Close" size="small" onClick={close}>
          <X />
        </IconButton>
      </div>
      {match !== undefined && (
        <p className="max-w-96 truncate px-1 text-xs text-muted">
          {safeText(match.before)}
          <mark className="rounded bg-warn-surface text-text">{safeText(match.found)}</mark>
          {safeText(match.after)}
        </p>
      )}
      {older.kind !== 'all' && (
        <p className="px-1 text-xs text-muted">Earlier messages are still loading.</p>
      )}
    </div>
  );
}

function close(): void {
  findOpen.set(false);
  document.querySelector<HTMLElement>('[data-timeline]')?.focus({ preventScroll: true });
}

function countOf(count: number, at: number, words: string): string {
  if (words.trim().length < 2) return '';
  return count === 0 ? 'No matches' : `${at + 1} of ${count}`;
}

function holds(row: Viewport['rows'][number], found: string): boolean {
  return (
    row.kind === 'text' &&
    row.group.blocks.get().some(({ text }) => text.toLowerCase().includes(found.toLowerCase()))
  );
}
