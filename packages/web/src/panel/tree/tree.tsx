import { ChevronDown, ChevronRight, File, Folder } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { cx } from '../../ui/class-names.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { keyMove } from './key-move.ts';

export interface TreeRow {
  readonly key: string;
  readonly level: number;
  readonly name: string;
  /** Undefined for files. */
  readonly expanded?: boolean | undefined;
  readonly selected?: boolean;
  readonly busy?: boolean;
  /** Shown after the name. */
  readonly note?: ReactNode;
  /** The note as text for screen readers. */
  readonly said?: string;
}

/** A file tree with keyboard support: arrow keys move, expand and collapse; Enter opens. */
export function Tree({
  label,
  rows,
  onToggle,
  onOpen,
  onActive,
}: {
  readonly label: string;
  readonly rows: readonly TreeRow[];
  readonly onToggle: (key: string) => void;
  readonly onOpen: (key: string) => void;
  /** A row was focused. */
  readonly onActive?: (row: TreeRow) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string>();
  const current = rows.find(({ key }) => key === active) ?? rows.find(isSelected) ?? rows[0];

  const go = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row === undefined) return;
    setActive(row.key);
    const items = list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]');
    items?.[rows.indexOf(row)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (current === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const move = keyMove(event.key, rows, rows.indexOf(current));
    if (move === undefined) return;
    event.preventDefault();
    if (move === 'toggle') onToggle(current.key);
    else if (move === 'open') act(current);
    else go(move);
  };
  const act = ({ key, expanded }: TreeRow) =>
    expanded === undefined ? onOpen(key) : onToggle(key);

  return (
    <ul ref={list} role="tree" aria-label={label}>
      {rows.map((row) => (
        <li
          key={row.key}
          role="treeitem"
          aria-level={row.level}
          aria-selected={row.selected === true}
          {...(row.expanded !== undefined && { 'aria-expanded': row.expanded })}
          tabIndex={row === current ? 0 : -1}
          data-key={row.key}
          onFocus={() => {
            setActive(row.key);
            onActive?.(row);
          }}
          onClick={() => act(row)}
          onKeyDown={onKeyDown}
          className={cx(
            'flex h-7 cursor-pointer items-center gap-1.5 rounded-md pr-2 text-sm -outline-offset-2 hover:bg-hover',
            row.selected === true && 'bg-selected',
          )}
          // Indented by depth.
          style={{ paddingInlineStart: `${(row.level - 1) * 0.875 + 0.375}rem` }}
        >
          <Mark row={row} />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {safeText(row.name)}
          </span>
          {row.busy === true && <Spinner className="size-3.5" />}
          {row.note !== undefined && (
            <span aria-hidden className="shrink-0 text-muted">
              {row.note}
            </span>
          )}
          {row.said !== undefined && <span className="sr-only">, {row.said}</span>}
        </li>
      ))}
    </ul>
  );
}

function Mark({ row }: { readonly row: TreeRow }) {
  const Turn = row.expanded === true ? ChevronDown : ChevronRight;
  const Kind = row.expanded === undefined ? File : Folder;
  return (
    <>
      {row.expanded === undefined ? (
        <span className="size-3.5 shrink-0" />
      ) : (
        <Turn aria-hidden className="size-3.5 shrink-0 text-muted" />
      )}
      <Kind aria-hidden className="size-3.5 shrink-0 text-muted" />
    </>
  );
}

const isSelected = ({ selected }: TreeRow) => selected === true;
