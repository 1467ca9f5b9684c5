import { ChevronRight, Folder, Hand, Plus } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { sidebarDrawer } from '../../state/layout.ts';
import { cx } from '../../ui/class-names.ts';
import type { ProjectRow as Row } from './rows.ts';

interface ProjectRowProps {
  readonly row: Row;
  readonly current: boolean;
  readonly tabbable: boolean;
  /** A chat is dragged over it. */
  readonly target: boolean;
  readonly onToggle: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** A folder of chats. The name opens the page of the project. */
export function ProjectRow(props: ProjectRowProps) {
  const { row, current, tabbable, target, onToggle, onKeyDown } = props;
  const { project, open } = row;
  return (
    <div
      className={cx(
        'group/row flex h-full items-center rounded-lg hover:bg-hover focus-within:bg-hover',
        current && 'bg-selected hover:bg-selected focus-within:bg-selected',
        target && 'bg-selected outline-2 outline-accent',
      )}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-expanded={open}
        aria-label={`Chats in ${project.name}`}
        className="flex h-full w-7 shrink-0 items-center justify-center rounded-lg text-muted hover:text-text pointer-coarse:w-11"
        onClick={onToggle}
      >
        <ChevronRight
          aria-hidden
          className={cx('size-3.5 transition-transform', open && 'rotate-90')}
        />
      </button>
      <Link
        href={`/projects/${project.id}`}
        data-row={row.key}
        tabIndex={tabbable ? 0 : -1}
        aria-current={current ? 'page' : undefined}
        className="flex h-full min-w-0 flex-1 items-center gap-2 rounded-lg outline-offset-[-2px]"
        onClick={() => sidebarDrawer.set(false)}
        onKeyDown={onKeyDown}
      >
        <Folder aria-hidden className="size-4 shrink-0 text-muted" />
        <span dir="auto" className="min-w-0 flex-1 truncate text-start font-medium">
          {project.name}
        </span>
        {row.asks && <Hand aria-hidden className="size-3.5 shrink-0 text-warn" />}
        {row.unread && <span aria-hidden className="me-2 size-1.5 rounded-full bg-accent" />}
        <span className="sr-only">
          {`: project${row.asks ? ', a chat needs input' : ''}${row.unread ? ', unread' : ''}`}
        </span>
      </Link>
      <Link
        href={`/?project=${project.id}`}
        tabIndex={-1}
        aria-label={`New chat in ${project.name}`}
        className="me-0.5 flex w-0 shrink-0 items-center justify-center overflow-hidden rounded-md py-1 text-muted opacity-0 group-focus-within/row:w-7 group-focus-within/row:opacity-100 group-hover/row:w-7 group-hover/row:opacity-100 hover:bg-selected hover:text-text [@media(hover:none)]:w-11 [@media(hover:none)]:opacity-100"
        onClick={() => sidebarDrawer.set(false)}
      >
        <Plus aria-hidden className="size-4" />
      </Link>
    </div>
  );
}
