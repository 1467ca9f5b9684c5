import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { composerStateOf } from '../state/composer-state.ts';
import { cx } from '../ui/class-names.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Announcer } from './announcer.tsx';
import { FindBar } from './find/find-bar.tsx';
import { JumpButtons } from './jump-buttons.tsx';
import { RowContent } from './row-content.tsx';
import type { Row } from './rows/row.ts';
import { TimelineRows } from './rows/timeline-rows.ts';
import { useFileChanges } from './checkpoints/use-file-changes.ts';
import { useVersions } from './versions/use-versions.ts';
import { useTimelineCommands } from './use-timeline-commands.ts';
import type { TimelineProps } from './timeline.tsx';
import { useOpeningPlace } from './viewport/use-opening-place.ts';
import { TodoBar } from './todo-bar.tsx';
import { Viewport } from './viewport/viewport.ts';

/** Renders only visible rows and keeps the reading position. */
export default function Conversation({ chatId, store }: TimelineProps) {
  const [viewport] = useState(() => new Viewport());
  useEffect(() => {
    const rows = new TimelineRows(store, viewport.setRows);
    return () => rows.close();
  }, [store, viewport]);
  useTimelineCommands({ chatId, store, viewport });
  useVersions(store);
  useFileChanges(store);
  useOpeningPlace({ chatId, store, viewport });
  const loaded = useCell(store.loaded);
  return (
    <div className="flex h-full flex-col">
      <TodoBar store={store} />
      <div className="relative min-h-0 flex-1">
        <FindBar store={store} viewport={viewport} />
        <Scroller viewport={viewport} chatId={chatId} store={store} />
        {!loaded && <Spinner label="Loading chat" className="absolute inset-0 m-auto size-6" />}
        <JumpButtons store={store} viewport={viewport} />
        <Announcer store={store} />
      </div>
    </div>
  );
}

function Scroller({ viewport, chatId, store }: TimelineProps & { readonly viewport: Viewport }) {
  const scroller = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const window = useRef<HTMLDivElement>(null);
  const { rows, from, to } = useCell(viewport.shown);
  useLayoutEffect(() => {
    if (scroller.current === null || space.current === null || window.current === null) return;
    return viewport.attach(scroller.current, space.current, window.current);
  }, [viewport]);
  useLayoutEffect(() => viewport.drawn(), [viewport, rows, from, to]);
  useNearStart(store, from === 0 && rows.length > 2);
  return (
    <div
      ref={scroller}
      data-timeline=""
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Messages"
      className="h-full overflow-x-hidden overflow-y-auto overscroll-contain outline-offset-[-2px] [overflow-anchor:none] [scrollbar-gutter:stable_both-edges]"
    >
      <div ref={space} className="relative overflow-clip">
        <div ref={window} className="absolute inset-x-0 top-0">
          {rows.slice(from, to).map((row) => (
            <RowFrame key={row.key} row={row} viewport={viewport} chatId={chatId} store={store} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The first loaded message is near. */
function useNearStart(store: ChatStore, near: boolean): void {
  const { kind } = useCell(store.older.state);
  useEffect(() => {
    if (near && kind === 'more') void store.older.load();
  }, [store, near, kind]);
}

interface RowFrameProps extends TimelineProps {
  readonly row: Row;
  readonly viewport: Viewport;
}

/** Marks messages that the edit will replace. */
const DROPPED = {
  'data-dropped': '',
  role: 'group',
  'aria-disabled': true,
  'aria-label': 'Replaced by the edit',
};

const RowFrame = memo(function RowFrame({ row, viewport, chatId, store }: RowFrameProps) {
  const element = useRef<HTMLDivElement>(null);
  const edited = useCell(composerStateOf(chatId).editing);
  const dropped = edited !== null && row.messageId > edited.id && row.kind !== 'tail';
  useLayoutEffect(
    () => (element.current === null ? undefined : viewport.measure(row.key, element.current)),
    [viewport, row.key],
  );
  return (
    <div
      ref={element}
      data-row={row.kind}
      data-key={row.key}
      className={cx('tl-row', dropped && 'opacity-40')}
      {...(dropped && DROPPED)}
    >
      <div className="mx-auto w-full max-w-3xl min-w-0 px-4 md:px-6">
        <RowContent row={row} chatId={chatId} store={store} />
      </div>
    </div>
  );
});
