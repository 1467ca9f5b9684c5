import { statement } from '../statement.ts';

export interface FamilyMember {
  readonly id: string;
  readonly parent_chat_id: string | null;
  readonly busy: boolean;
}

/** All chats below a root, in the order of ids, in which whoever locks several of them does so. Through chats_by_root. */
export const familyOfChat = statement<FamilyMember>(
  'family-of-chat',
  `SELECT id, parent_chat_id, status IN ('running', 'requires_action') AS busy
     FROM chats
    WHERE root_chat_id = $1
    ORDER BY id`,
);
