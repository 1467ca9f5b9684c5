import type { KeyboardEvent } from 'react';
import { ChatRow, type RowEvents } from './chat-row.tsx';
import { ListEnd } from './list-end.tsx';
import { ProjectRow } from './project-row.tsx';
import type { Row } from './rows.ts';
import { FoldedHeading, SectionHeading } from './section-heading.tsx';
import type { SidebarView } from '../sidebar-view.ts';

interface RowContentProps {
  readonly row: Row;
  readonly view: SidebarView;
  readonly current: boolean;
  readonly tabbable: boolean;
  /** A chat is dragged over it. */
  readonly target: boolean;
  readonly renaming: boolean;
  readonly words: string;
  readonly on: RowEvents;
  readonly obey: (row: Row, event: KeyboardEvent) => void;
}

export function RowContent({ row, view, tabbable, target, obey, ...rest }: RowContentProps) {
  switch (row.kind) {
    case 'chat':
      return <ChatRow row={row} tabbable={tabbable} {...rest} />;
    case 'project':
      return (
        <ProjectRow
          row={row}
          current={rest.current}
          tabbable={tabbable}
          target={target}
          onToggle={() => view.toggleProject(row.project.id)}
          onKeyDown={(event) => obey(row, event)}
        />
      );
    case 'heading':
      return row.open === undefined ? (
        <SectionHeading section={row.section} />
      ) : (
        <FoldedHeading
          section={row.section}
          open={row.open}
          tabbable={tabbable}
          onToggle={view.toggleArchived}
          onKeyDown={(event) => obey(row, event)}
        />
      );
    case 'end':
      return <ListEnd paging={row.paging} rowKey={row.key} onMore={view.more} />;
    case 'note':
      return <p className="flex h-full items-center px-2 text-muted">{row.text}</p>;
  }
}
