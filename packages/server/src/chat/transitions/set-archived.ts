import type { ChatRow } from '../row.ts';
import type { Writes } from '../writes.ts';

export function setArchived(chat: ChatRow, archived: boolean): Writes {
  return chat.archived === archived ? {} : { chat: { archived } };
}
