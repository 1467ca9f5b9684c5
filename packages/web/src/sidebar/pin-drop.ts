import type { ChatRow, Row } from './rows/rows.ts';

/** The drop position of a dragged chat. */
export type Drop =
  | {
      readonly to: 'pin';
      readonly place: number;
      readonly line: { readonly key: string; readonly after: boolean } | null;
    }
  | { readonly to: 'unpin' }
  /** Null: none. `row` is the row of the project. */
  | { readonly to: 'project'; readonly id: string | null; readonly row?: string };

/** The position for the upper or lower half of a row. Undefined: the drop changes nothing. */
export function dropOn(
  rows: readonly Row[],
  dragged: ChatRow,
  over: Row,
  lowerHalf: boolean,
): Drop | undefined {
  const project = projectDrop(dragged, over);
  if (project !== undefined) return project;
  const pinned = dragged.section === 'pinned';
  const others = rows.filter(
    (row): row is ChatRow =>
      row.kind === 'chat' && row.section === 'pinned' && row.depth === 0 && row.key !== dragged.key,
  );
  if (over.kind === 'heading' && over.section === 'pinned') {
    const first = others[0];
    return { to: 'pin', place: 0, line: first ? { key: first.key, after: false } : null };
  }
  if (over.kind !== 'chat' || over.section !== 'pinned') {
    return pinned && (over.kind === 'chat' || over.kind === 'heading')
      ? { to: 'unpin' }
      : undefined;
  }
  if (over.key === dragged.key) return undefined;
  const at = others.findIndex(({ key }) => key === over.key);
  // Subagent rows follow their parent: the position below the parent is below them.
  if (at === -1) return undefined;
  return {
    to: 'pin',
    place: lowerHalf ? at + 1 : at,
    line: { key: over.key, after: lowerHalf },
  };
}

/** The drop on a project or one of its chats, or from a project on other chats. */
function projectDrop({ chat, section }: ChatRow, over: Row): Drop | undefined {
  const id =
    over.kind === 'project'
      ? over.project.id
      : over.kind === 'chat' && over.section === 'projects'
        ? over.chat.project_id
        : undefined;
  if (id !== undefined) {
    if (id === chat.project_id && section === 'projects') return undefined;
    return { to: 'project', id, row: `project-${id}` };
  }
  const isOutside =
    (over.kind === 'chat' || over.kind === 'heading') &&
    (over.section === 'today' || over.section === 'earlier');
  return section === 'projects' && isOutside ? { to: 'project', id: null } : undefined;
}
