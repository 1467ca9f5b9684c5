import type { Project } from '@chatd/protocol';
import { useEffect, useMemo, useState } from 'react';
import { useDeferredCell, useCell } from '../../state/cell.ts';
import type { ChatsById } from '../../state/chats/chat-list.ts';
import { useChatList } from '../../state/chats/use-chat-list.ts';
import { useProjectActions, useProjects } from '../../state/projects.ts';
import { today } from '../../state/today.ts';
import { isFiltered } from '../filter.ts';
import { KeptRows } from './kept-rows.ts';
import { foundRows, type Row, rowsOf } from './rows.ts';
import type { SidebarView } from '../sidebar-view.ts';

export function useRows(view: SidebarView): readonly Row[] {
  const list = useChatList();
  const chats = useDeferredCell(list.chats);
  const paging = useDeferredCell(list.paging);
  const found = useCell(view.search.found);
  const filter = useCell(view.filter);
  const filtered = useCell(view.filtered);
  const open = useCell(view.open);
  const archived = useCell(view.archived);
  const openProjects = useCell(view.openProjects);
  const projects = useKnownProjects(chats);
  const start = useCell(today);
  const [{ keep }] = useState(() => new KeptRows());
  return useMemo(() => {
    if (found !== null) return keep(foundRows(chats, found));
    const narrowed = isFiltered(filter);
    return keep(
      rowsOf({
        chats,
        today: start,
        filter,
        shows: view.shows,
        horizon: narrowed ? null : list.horizon,
        paging: narrowed ? filtered : paging,
        open,
        projects,
        openProjects,
        archived,
      }),
    );
  }, [
    keep,
    list,
    view,
    chats,
    paging,
    found,
    filter,
    filtered,
    open,
    projects,
    openProjects,
    archived,
    start,
  ]);
}

/** Reloaded when a chat has an unknown project, which another client has created. */
function useKnownProjects(chats: ChatsById): readonly Project[] | undefined {
  const projects = useProjects();
  const { reload } = useProjectActions();
  const missing = useMemo(() => {
    const known = new Set(projects?.map(({ id }) => id));
    const ids = [...chats.values()].flatMap(({ project_id }) => project_id ?? []);
    return ids.find((id) => !known.has(id));
  }, [chats, projects]);
  const isLoaded = projects !== undefined;
  useEffect(() => {
    if (isLoaded && missing !== undefined) void reload();
  }, [isLoaded, missing, reload]);
  return projects;
}
