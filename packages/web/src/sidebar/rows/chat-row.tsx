import { ChevronRight, Ellipsis, Hand, Users } from 'lucide-react';
import { type KeyboardEvent, memo } from 'react';
import { Link } from 'wouter';
import { isOwn } from '../../state/access.ts';
import { CHAT_STATE_TEXT } from '../../state/chats/chat-state.ts';
import { sidebarDrawer } from '../../state/layout.ts';
import { messagePath } from '../../state/message-link.ts';
import { cx } from '../../ui/class-names.ts';
import { labelText } from '../filter.ts';
import { Highlighted } from './highlighted.tsx';
import { ShortTime } from './short-time.tsx';
import type { ChatRow as Row } from './rows.ts';
import { Snippet } from './snippet.tsx';
import { StatusMark } from './status-mark.tsx';
import { TitleField } from './title-field.tsx';

/** One object for all rows, so that a row renders again only when its own data changes. */
export interface RowEvents {
  readonly onKeyDown: (row: Row, event: KeyboardEvent) => void;
  readonly onFocus: (row: Row) => void;
  readonly onMenu: (row: Row, at: { readonly x: number; readonly y: number }) => void;
  readonly onToggle: (row: Row) => void;
  readonly onRenamed: (row: Row, title: string | undefined, by: 'key' | 'leaving') => void;
  readonly onDragStart: (row: Row, data: DataTransfer) => void;
  readonly onDragEnd: () => void;
}

interface ChatRowProps {
  readonly row: Row;
  readonly current: boolean;
  /** The row in the tab order. */
  readonly tabbable: boolean;
  readonly renaming: boolean;
  /** Words to highlight in the title. */
  readonly words: string;
  readonly on: RowEvents;
}

const INDENT_REM = 1;
/** Aligned with the icon of the project. */
const PROJECT_REM = 2.125;
const DEEPEST = 4;

export const ChatRow = memo(function ChatRow(props: ChatRowProps) {
  const { row, current, tabbable, renaming, words, on } = props;
  const { chat, state, agents } = row;
  const unread = chat.has_unread && !current;
  const labels = Object.entries(chat.labels);
  const start = row.section === 'projects' ? PROJECT_REM : 0.5;
  const indent = `${start + Math.min(row.depth, DEEPEST) * INDENT_REM}rem`;
  if (renaming) {
    return (
      <div className="flex h-full items-center gap-2 pe-1" style={{ paddingInlineStart: indent }}>
        <TitleField title={chat.title} onDone={(title, by) => on.onRenamed(row, title, by)} />
      </div>
    );
  }
  return (
    <div
      className={cx(
        'group/row relative flex h-full items-stretch rounded-lg hover:bg-hover focus-within:bg-hover has-data-[state=open]:bg-hover',
        current && 'bg-selected hover:bg-selected focus-within:bg-selected',
      )}
      onContextMenu={(event) => {
        event.preventDefault();
        on.onMenu(row, { x: event.clientX, y: event.clientY });
      }}
    >
      <Link
        href={rowPath(row)}
        data-row={row.key}
        tabIndex={tabbable ? 0 : -1}
        aria-current={current ? 'page' : undefined}
        aria-keyshortcuts="F2 Delete Shift+F10"
        className="flex min-w-0 flex-1 flex-col justify-center rounded-lg pe-2 outline-offset-[-2px]"
        style={{ paddingInlineStart: indent }}
        onClick={() => sidebarDrawer.set(false)}
        onKeyDown={(event) => on.onKeyDown(row, event)}
        onFocus={() => on.onFocus(row)}
        draggable={isOwn(chat)}
        onDragStart={(event) => on.onDragStart(row, event.dataTransfer)}
        onDragEnd={on.onDragEnd}
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <span
            dir="auto"
            className={cx(
              'min-w-0 flex-1 truncate text-start',
              unread && 'font-semibold',
              chat.archived && 'text-muted',
            )}
          >
            <Highlighted text={chat.title} words={words} />
          </span>
          {chat.owner_name !== undefined && (
            <Users aria-hidden className="size-3.5 shrink-0 text-muted" />
          )}
          {row.asksBelow && <Hand aria-hidden className="size-3.5 shrink-0 text-warn" />}
          {unread && <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-accent" />}
          {state === 'idle' ? (
            <ShortTime
              time={chat.active_at}
              className="group-focus-within/row:hidden group-hover/row:hidden"
            />
          ) : (
            <StatusMark state={state} />
          )}
          <span className="sr-only">{spoken(row, unread)}</span>
        </span>
        {row.activity !== undefined && (
          <span aria-hidden className="truncate text-start text-xs text-muted">
            {row.activity}
          </span>
        )}
        {row.match !== undefined && (
          <span dir="auto" className="mt-0.5 line-clamp-2 text-start text-xs text-muted">
            <Snippet match={row.match} />
          </span>
        )}
        {labels.length > 0 && (
          <span dir="auto" className="truncate text-start text-xs text-muted">
            <span className="sr-only">Labels: </span>
            {labels.map(([name, value]) => labelText({ name, value })).join(' · ')}
          </span>
        )}
      </Link>
      {agents > 0 && row.section !== 'found' && (
        <button
          type="button"
          tabIndex={-1}
          aria-expanded={row.open}
          aria-label={`${agents === 1 ? '1 subagent' : `${agents} subagents`} of ${chat.title}`}
          className="flex shrink-0 items-center gap-0.5 self-center rounded-md px-1.5 py-1 text-xs text-muted tabular-nums hover:bg-selected hover:text-text"
          onClick={() => on.onToggle(row)}
        >
          <ChevronRight
            aria-hidden
            className={cx('size-3.5 transition-transform', row.open && 'rotate-90')}
          />
          {agents}
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        aria-haspopup="menu"
        aria-label={`Actions for ${chat.title}`}
        className="me-0.5 w-0 shrink-0 self-center overflow-hidden rounded-md py-1 text-muted opacity-0 group-focus-within/row:w-7 group-focus-within/row:opacity-100 group-hover/row:w-7 group-hover/row:opacity-100 hover:bg-selected hover:text-text [@media(hover:none)]:w-11 [@media(hover:none)]:opacity-100"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          on.onMenu(row, { x: left, y: bottom });
        }}
      >
        <Ellipsis aria-hidden className="m-auto size-4" />
      </button>
    </div>
  );
});

/** A search result opens at the matching message. */
const rowPath = ({ chat, match }: Row): string =>
  match?.message_id === undefined ? `/chats/${chat.id}` : messagePath(chat.id, match.message_id);

/** The state of the row for screen readers. */
function spoken({ state, activity, chat, asksBelow, section }: Row, unread: boolean): string {
  const said = [CHAT_STATE_TEXT[state]];
  if (activity !== undefined) said.push(activity);
  if (unread) said.push('unread');
  if (chat.owner_name !== undefined) said.push(`shared by ${chat.owner_name}`);
  if (asksBelow) said.push('a subagent needs input');
  if (section === 'found' && chat.parent_chat_id !== undefined) said.push('subagent');
  if (section === 'found' && chat.archived) said.push('archived');
  return `: ${said.join(', ')}`;
}
