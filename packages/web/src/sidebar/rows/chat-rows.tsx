import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useRoute } from 'wouter';
import { sharedChat } from '../../sharing/sharing-state.ts';
import { isOwn } from '../../state/access.ts';
import { useChatActions } from '../../state/chats/chat-actions.ts';
import { movingChat } from '../../state/projects.ts';
import { cx } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import { ChatMenu } from '../chat-menu.tsx';
import type { RowEvents } from './chat-row.tsx';
import { LabelsDialog } from '../labels-dialog.tsx';
import { PinZone } from '../pin-zone.tsx';
import { RowContent } from './row-content.tsx';
import { remSize, rowHeight } from './row-height.ts';
import { rowKeyOf, focusableRows } from './row-keys.ts';
import type { ChatRow, Row } from './rows.ts';
import type { SidebarView } from '../sidebar-view.ts';
import { usePinDrag } from '../use-pin-drag.ts';
import { useRowFocus } from './use-row-focus.ts';
import { useVisibleRows } from './use-visible-rows.ts';

interface ChatRowsProps {
  readonly view: SidebarView;
  readonly rows: readonly Row[];
  /** Words to highlight in titles. */
  readonly words: string;
  /** Called for arrow up on the first row. */
  readonly onLeaveUp: () => void;
  /** Incremented to move the focus to the first row. */
  readonly focusAsked: number;
}

/** The virtualized chat list. */
export function ChatRows({ view, rows, words, onLeaveUp, focusAsked }: ChatRowsProps) {
  const actions = useChatActions();
  const [, match] = useRoute('/chats/:id/*?');
  const [, project] = useRoute('/projects/:id');
  const currentId = project === null ? match?.id : `project-${project.id}`;
  const scroller = useRef<HTMLDivElement>(null);
  const [renaming, setRenaming] = useState<string>();
  const [menu, setMenu] = useState<{ row: ChatRow; x: number; y: number }>();
  const [labelling, setLabelling] = useState<ChatRow>();
  const drag = usePinDrag(rows);
  const { tabbable, setFocused, want } = useRowFocus(rows, currentId, scroller);
  const tabbableIndex = rows.findIndex(({ key }) => key === tabbable);

  // Row heights are computed from the rows and change with them.
  const heights = useMemo(() => {
    const rem = remSize();
    return rows.map((row) => rowHeight(row, rem));
  }, [rows]);
  // The row in the tab order is always rendered.
  const visible = useVisibleRows(scroller, heights, tabbableIndex);

  const goTo = (key: string | undefined) => {
    const index = rows.findIndex((row) => row.key === key);
    if (key === undefined || index === -1) return;
    want(key);
    visible.scrollTo(index);
  };
  const goToFirst = useEffectEvent(() => goTo(focusableRows(rows)[0]?.key));
  useEffect(() => {
    if (focusAsked > 0) goToFirst();
  }, [focusAsked]);
  useShowCurrent(currentId, rows, visible.scrollTo);

  const obey = (row: Row, event: KeyboardEvent) => {
    const meaning = rowKeyOf(event, row, rows);
    if (meaning === undefined) return;
    // Only its owner changes a chat.
    const isOthers = row.kind === 'chat' && !isOwn(row.chat);
    if (isOthers && !['go', 'toggle', 'menu'].includes(meaning.do)) return;
    event.preventDefault();
    if (meaning.do === 'go') {
      if (meaning.to === row.key && event.key === 'ArrowUp') onLeaveUp();
      else goTo(meaning.to);
    } else if (row.kind === 'project') {
      if (meaning.do === 'toggle') view.toggleProject(row.project.id);
    } else if (row.kind !== 'chat') {
      if (meaning.do === 'toggle') view.toggleArchived();
    } else if (meaning.do === 'toggle') view.toggle(row.key);
    else if (meaning.do === 'rename') setRenaming(row.key);
    else if (meaning.do === 'menu') {
      const { left, bottom } = event.currentTarget.getBoundingClientRect();
      setMenu({ row, x: left + 24, y: bottom });
    } else if (row.depth > 0) {
      // Subagents follow their parent and cannot be pinned.
    } else if (meaning.do === 'delete') {
      goTo(neighbourOf(rows, row.key));
      void actions.delete(row.chat);
    } else if (meaning.do === 'move' && row.section === 'pinned') {
      want(row.key);
      void actions.movePin(row.chat, meaning.by);
    }
  };
  const latest = useRef({ obey, want });
  useEffect(() => {
    latest.current = { obey, want };
  });
  const on = useMemo(
    (): RowEvents => ({
      onKeyDown: (row, event) => latest.current.obey(row, event),
      onFocus: (row) => setFocused(row.key),
      onMenu: (row, at) => setMenu({ row, ...at }),
      onToggle: (row) => view.toggle(row.key),
      onRenamed: (row, title, by) => {
        setRenaming(undefined);
        if (title !== undefined) void actions.rename(row.chat, title);
        if (by === 'key') latest.current.want(row.key);
      },
      onDragStart: drag.start,
      onDragEnd: drag.end,
    }),
    [actions, view, setFocused, drag.start, drag.end],
  );

  return (
    <div className="relative min-h-0 flex-1 text-sm">
      {drag.dragged !== undefined && (
        <PinZone unpins={drag.dragged.section === 'pinned'} onDrop={drag.dropOnZone} />
      )}
      <div
        ref={scroller}
        className="h-full overflow-x-hidden overflow-y-auto overscroll-contain px-2 pb-2"
      >
        <ul className="relative" style={{ height: visible.tops.at(-1) }}>
          {visible.indexes.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            const line = drag.line?.key === row.key ? drag.line : null;
            return (
              <li
                key={row.key}
                className={cx(
                  'absolute inset-x-0 top-0',
                  row.key === drag.dragged?.key && 'opacity-50',
                  line !== null &&
                    'before:absolute before:inset-x-1 before:z-10 before:h-0.5 before:rounded-full before:bg-accent',
                  line !== null && (line.after ? 'before:-bottom-px' : 'before:-top-px'),
                )}
                style={{
                  height: heights[index],
                  transform: `translateY(${visible.tops[index] ?? 0}px)`,
                }}
              >
                <div
                  role="presentation"
                  className="h-full"
                  onDragOver={drag.over(row)}
                  onDrop={drag.drop(row)}
                >
                  <RowContent
                    row={row}
                    view={view}
                    current={row.key === currentId}
                    tabbable={row.key === tabbable}
                    target={row.key === drag.target}
                    renaming={row.key === renaming}
                    words={words}
                    on={on}
                    obey={obey}
                  />
                </div>
              </li>
            );
          })}
        </ul>
      </div>
      {menu !== undefined && (
        <Menu
          open
          onOpenChange={(open) => {
            if (!open) setMenu(undefined);
          }}
          onClosed={() => {
            const opensDialog =
              labelling !== undefined || movingChat.get() !== null || sharedChat.get() !== null;
            if (renaming === undefined && !opensDialog) goTo(menu.row.key);
          }}
          trigger={
            <span aria-hidden className="fixed size-0" style={{ left: menu.x, top: menu.y }} />
          }
        >
          <ChatMenu
            chat={menu.row.chat}
            onRename={() => setRenaming(menu.row.key)}
            onLabels={() => setLabelling(menu.row)}
          />
        </Menu>
      )}
      {labelling !== undefined && (
        <LabelsDialog
          chat={labelling.chat}
          onClose={() => {
            setLabelling(undefined);
            goTo(labelling.key);
          }}
        />
      )}
    </div>
  );
}

/** Scrolls to the row of a newly opened chat, once. */
function useShowCurrent(
  currentId: string | undefined,
  rows: readonly Row[],
  show: (index: number) => void,
): void {
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (currentId === undefined || shown.current === currentId) return;
    const index = rows.findIndex(({ key }) => key === currentId);
    if (index === -1) return;
    shown.current = currentId;
    show(index);
  });
}

/** The row that gets the focus when the focused row is removed. */
function neighbourOf(rows: readonly Row[], key: string): string | undefined {
  const all = focusableRows(rows);
  const at = all.findIndex((row) => row.key === key);
  return (all[at + 1] ?? all[at - 1])?.key;
}
