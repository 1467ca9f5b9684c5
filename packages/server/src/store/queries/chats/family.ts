import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from './columns.ts';
import type { ChatUnderLock } from './lock.ts';

export interface FamilyMember {
  readonly id: string;
  readonly parent_chat_id: string | null;
  readonly busy: boolean;
}

/** All descendants of a root chat, in the order of ids, in which they are locked. Through chats_by_root. */
export const familyOfChat = statement<{ root_id: string }, FamilyMember>(
  'family-of-chat',
  `SELECT id, parent_chat_id, status IN ('running', 'requires_action') AS busy
     FROM chats
    WHERE root_chat_id = :root_id
    ORDER BY id`,
);

/** A root chat and its descendants, in the order of ids to avoid deadlocks. */
export const lockFamily = statement<{ root_id: string }, ChatUnderLock>(
  'lock-family',
  `SELECT ${CHAT_COLUMNS}, false AS action_expired
     FROM chats
    WHERE id = :root_id OR root_chat_id = :root_id
    ORDER BY id
      FOR NO KEY UPDATE`,
);

/** The subagents of a chat, oldest first, through chats_by_parent. */
export const agentsOfChat = statement<{ parent_id: string }, ChatRow>(
  'agents-of-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE parent_chat_id = :parent_id AND deleted_at IS NULL ORDER BY id`,
);

/** The ancestors of a chat, its parent first. UNION ends the recursion even in a cycle. */
export const ancestorsOfChat = statement<{ chat_id: string }, { id: string }>(
  'ancestors-of-chat',
  `WITH RECURSIVE line AS (
     SELECT id, parent_chat_id FROM chats WHERE id = :chat_id
     UNION
     SELECT chats.id, chats.parent_chat_id FROM chats JOIN line ON chats.id = line.parent_chat_id
   )
   SELECT id FROM line WHERE id <> :chat_id`,
);
