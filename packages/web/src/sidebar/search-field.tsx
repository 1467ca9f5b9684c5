import { Search, X } from 'lucide-react';
import { type RefObject, useId } from 'react';
import { useLocation } from 'wouter';
import { useCell } from '../state/cell.ts';
import { messagePath } from '../state/message-link.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import type { ChatSearch } from './chat-search.ts';

export function SearchField({
  search,
  field,
  onDown,
}: {
  readonly search: ChatSearch;
  readonly field: RefObject<HTMLInputElement | null>;
  /** Moves the focus to the list. */
  readonly onDown: () => void;
}) {
  const text = useCell(search.text);
  const found = useCell(search.found);
  const about = useId();
  const [, go] = useLocation();
  const first = found?.ids[0];
  return (
    <search className="relative min-w-0 flex-1">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <input
        ref={field}
        type="text"
        role="searchbox"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label="Search chats"
        aria-describedby={about}
        placeholder="Search"
        dir="auto"
        value={text}
        className="h-9 w-full rounded-lg border border-line bg-background pr-8 pl-8 pointer-coarse:pr-11 placeholder:text-muted hover:border-line-strong focus:border-line-strong"
        onChange={({ target }) => search.look(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            onDown();
          } else if (event.key === 'Escape' && text !== '') {
            event.preventDefault();
            event.stopPropagation();
            search.look('');
          } else if (event.key === 'Enter' && first !== undefined) {
            const hit = found?.matches.get(first)?.message_id;
            go(hit === undefined ? `/chats/${first}` : messagePath(first, hit));
          }
        }}
      />
      {text !== '' && (
        <IconButton
          label="Clear search"
          size="small"
          className="absolute top-1 right-1 pointer-coarse:top-0 pointer-coarse:right-0"
          onClick={() => {
            search.look('');
            field.current?.focus();
          }}
        >
          {found !== null && !found.ended ? <Spinner className="size-3.5" /> : <X />}
        </IconButton>
      )}
      <span id={about} className="sr-only">
        Searches titles and messages. Press the down arrow to move to the list.
      </span>
      <span role="status" className="sr-only">
        {found?.ended === true && (found.error ?? countText(found.ids.length))}
      </span>
    </search>
  );
}

const countText = (count: number) =>
  count === 0 ? 'No chats found' : count === 1 ? '1 chat found' : `${count} chats found`;
