import { useMemo, useState } from 'react';
import { useDeferredCell, useCell } from '../../state/cell.ts';
import { useChatList } from '../../state/chats/use-chat-list.ts';
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
        horizon: narrowed ? null : list.horizon,
        paging: narrowed ? filtered : paging,
        open,
        archived,
      }),
    );
  }, [keep, list, chats, paging, found, filter, filtered, open, archived, start]);
}
