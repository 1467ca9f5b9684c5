import { Command, PanelLeftClose, SquarePen } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { openPalette } from '../palette/palette-state.ts';
import { useCell } from '../state/cell.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { useCommands } from '../state/commands.ts';
import { sidebarDrawer, sidebarShown } from '../state/layout.ts';
import { Hint } from '../ui/hint.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Logo } from '../ui/logo.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ChatRows } from './rows/chat-rows.tsx';
import { isFiltered } from './filter.ts';
import { FilterMenu, FilterNote } from './filter-menu.tsx';
import type { Row } from './rows/rows.ts';
import { SearchField } from './search-field.tsx';
import { sidebarViewOf } from './sidebar-view.ts';
import { useOpenAncestors } from './use-open-ancestors.ts';
import { useRows } from './rows/use-rows.ts';
import { UserMenu } from './user-menu.tsx';

export function Sidebar() {
  const list = useChatList();
  const view = sidebarViewOf(list);
  const loaded = useCell(list.loaded);
  const found = useCell(view.search.found);
  const rows = useRows(view);
  const field = useRef<HTMLInputElement>(null);
  const [focusAsked, setFocusAsked] = useState(0);
  const toSearch = () => field.current?.focus();
  useOpenAncestors(view);
  useCommands([
    {
      id: 'search-chats',
      title: 'Search chats',
      group: 'Chats',
      keys: 'mod+shift+f',
      words: 'find filter',
      run: toSearch,
    },
  ]);
  return (
    <nav aria-label="Chats" className="flex h-full min-h-0 flex-col">
      <Top />
      <div className="flex items-center gap-1 px-2 pb-2">
        <SearchField
          search={view.search}
          field={field}
          onDown={() => setFocusAsked((count) => count + 1)}
        />
        <FilterMenu view={view} />
      </div>
      <FilterNote view={view} />
      {found?.error !== undefined && (
        <p className="mx-2 mb-1 rounded-lg bg-bad-surface px-2 py-1 text-sm text-bad">
          {found.error}
        </p>
      )}
      {loaded ? (
        <>
          <EmptyNote rows={rows} />
          <ChatRows
            view={view}
            rows={rows}
            words={found?.text ?? ''}
            onLeaveUp={toSearch}
            focusAsked={focusAsked}
          />
        </>
      ) : (
        <div className="flex flex-1 justify-center p-4">
          <Spinner label="Loading chats" />
        </div>
      )}
      <div className="p-2">
        <UserMenu />
      </div>
    </nav>
  );
}

function Top() {
  const wide = useWide();
  const [location] = useLocation();
  return (
    <>
      <div className="flex h-12 shrink-0 items-center gap-1 pe-2 ps-4">
        <Logo className="size-6 shrink-0" />
        <span className="flex-1 ps-1 text-lg font-semibold tracking-tight">chatd</span>
        <IconButton label="Command palette" keys="mod+k" onClick={openPalette}>
          <Command />
        </IconButton>
        <IconButton
          label="Hide chat list"
          keys="mod+b"
          onClick={() => (wide ? sidebarShown.set(false) : sidebarDrawer.set(false))}
        >
          <PanelLeftClose />
        </IconButton>
      </div>
      <div className="px-2 pb-2">
        <Hint text="New chat" keys="mod+shift+o">
          <Link
            href="/"
            aria-current={location === '/' ? 'page' : undefined}
            className="flex h-9 min-w-0 items-center gap-2 rounded-lg px-2 font-medium hover:bg-hover aria-[current=page]:bg-selected pointer-coarse:h-11"
            onClick={() => sidebarDrawer.set(false)}
          >
            <SquarePen aria-hidden className="size-4 shrink-0" />
            New chat
          </Link>
        </Hint>
      </div>
    </>
  );
}

/** A closed project hides its chats. */
const mayShowChats = (row: Row): boolean =>
  row.kind === 'chat' || (row.kind === 'project' && !row.open);

/** Shown when there are no chats or none matches the filter. */
function EmptyNote({ rows }: { readonly rows: readonly Row[] }) {
  const list = useChatList();
  const view = sidebarViewOf(list);
  const filter = useCell(view.filter);
  const found = useCell(view.search.found);
  const paging = useCell(isFiltered(filter) ? view.filtered : list.paging);
  if (found !== null || paging !== 'all' || rows.some(mayShowChats)) return null;
  return (
    <p className="px-4 py-2 text-sm text-muted">
      {isFiltered(filter)
        ? 'No chats match the filter.'
        : 'No chats yet. Send a message to start one.'}
    </p>
  );
}
