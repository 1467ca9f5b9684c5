import type { ChatRow } from '../../chat/row.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** A chat in a list; `activity` is `active_at` in microseconds, since a Date would lose some of them. */
export type ListedChat = ChatRow & { readonly activity: number };

export const LISTED_COLUMNS = `${CHAT_COLUMNS},
  (extract(epoch FROM chats.active_at) * 1000000)::bigint AS activity`;

/** The other direction, for a parameter. */
export const timeOf = (parameter: string): string =>
  `(timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond')`;
