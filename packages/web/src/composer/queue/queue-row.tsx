import type { QueuedMessage } from '@chatd/protocol';
import {
  ArrowDown,
  ArrowUp,
  CornerDownRight,
  Ellipsis,
  GripVertical,
  ListEnd,
  Paperclip,
  Pencil,
  SendHorizontal,
  Trash2,
} from 'lucide-react';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import type { ComposerState } from '../../state/composer-state.ts';
import { useAuthor } from '../../sharing/authors.tsx';
import { draftOf } from '../../state/draft-of.ts';
import { cx } from '../../ui/class-names.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { outline } from '../send/content.ts';
import { setQueueMode, promote, remove } from './queue-changes.ts';
import { QueueEditor } from './queue-editor.tsx';
import type { RowDrag } from './use-row-drag.ts';

const WHEN: Record<QueuedMessage['busy_behavior'], string> = {
  queue: 'After this turn',
  steer: 'At the next step',
  interrupt: 'Next, stopping the turn',
};

export interface QueueRowProps {
  readonly message: QueuedMessage;
  readonly index: number;
  readonly count: number;
  readonly composing: ComposerState;
  readonly drag: RowDrag | null;
  readonly handle: ComponentProps<'button'>;
  readonly onMove: (to: number) => void;
}

export function QueueRow(props: QueueRowProps) {
  const { message, index, count, composing, drag, handle, onMove } = props;
  const [editing, setEditing] = useState(false);
  const grip = useRef<HTMLButtonElement>(null);
  const movedByKey = useRef(false);
  const author = useAuthor(message.created_by);
  const draft = draftOf(message);
  const summary = outline(draft);
  const files = draft.attachments.length + draft.references.length;
  const held = drag?.from === index;

  // React moves the element, which drops the focus.
  useEffect(() => {
    if (movedByKey.current) grip.current?.focus();
    movedByKey.current = false;
  }, [index]);

  return (
    <li
      className={cx(
        'rounded-lg',
        held ? 'relative z-10 bg-raised shadow-pop' : drag !== null && 'transition-transform',
      )}
      style={drag === null ? undefined : { transform: `translateY(${shift(drag, index)})` }}
    >
      {editing ? (
        <QueueEditor message={message} composing={composing} onClose={() => setEditing(false)} />
      ) : (
        <div className="flex min-h-9 items-center gap-1 pr-1 pointer-coarse:min-h-11">
          <button
            type="button"
            {...handle}
            ref={grip}
            aria-label={`Move “${summary.slice(0, 60)}” with arrow keys, ${index + 1} of ${count}`}
            className="flex h-8 w-6 shrink-0 cursor-grab items-center justify-center rounded-md text-muted hover:bg-hover"
            onKeyDown={(event) => {
              const to = { ArrowUp: index - 1, ArrowDown: index + 1 }[event.key];
              if (to === undefined) return;
              event.preventDefault();
              movedByKey.current = true;
              onMove(to);
            }}
          >
            <GripVertical aria-hidden className="size-4" />
          </button>
          <span className="min-w-0 flex-1 truncate text-sm">
            {author !== undefined && <span className="font-medium">{author}: </span>}
            {summary}
          </span>
          {files > 0 && (
            <span className="flex shrink-0 items-center gap-0.5 text-xs text-muted">
              <Paperclip aria-hidden className="size-3" />
              {files}
              <span className="sr-only"> attached</span>
            </span>
          )}
          <span
            className={cx(
              'shrink-0 rounded-md px-1.5 text-xs leading-5 max-sm:sr-only',
              message.busy_behavior === 'queue' ? 'text-muted' : 'bg-info-surface text-info',
            )}
          >
            {WHEN[message.busy_behavior]}
          </span>
          <IconButton
            label="Send now and stop the turn"
            size="small"
            onClick={() => void promote(message)}
          >
            <SendHorizontal />
          </IconButton>
          <IconButton label="Edit" size="small" onClick={() => setEditing(true)}>
            <Pencil />
          </IconButton>
          <RowMenu {...props} />
        </div>
      )}
    </li>
  );
}

function RowMenu({ message, index, count, composing, onMove }: QueueRowProps) {
  const steers = message.busy_behavior === 'steer';
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label="More actions" size="small">
          <Ellipsis />
        </IconButton>
      }
    >
      {message.busy_behavior !== 'interrupt' && (
        <>
          <MenuItem
            icon={steers ? <ListEnd /> : <CornerDownRight />}
            onSelect={() => void setQueueMode(message, steers ? 'queue' : 'steer')}
          >
            {steers ? 'Send after this turn' : 'Send at the next step'}
          </MenuItem>
          <MenuLine />
        </>
      )}
      <MenuItem icon={<ArrowUp />} disabled={index === 0} onSelect={() => onMove(index - 1)}>
        Move up
      </MenuItem>
      <MenuItem
        icon={<ArrowDown />}
        disabled={index === count - 1}
        onSelect={() => onMove(index + 1)}
      >
        Move down
      </MenuItem>
      <MenuLine />
      <MenuItem
        icon={<Trash2 />}
        danger
        onSelect={() => void remove(message).then((gone) => gone && composing.focus())}
      >
        Remove from the queue
      </MenuItem>
    </Menu>
  );
}

/** The dragged row follows the pointer; the rows between make room. */
function shift({ from, to, offset }: RowDrag, index: number): string {
  if (index === from) return `${offset}px`;
  if (from < index && index <= to) return '-100%';
  if (to <= index && index < from) return '100%';
  return '0';
}
