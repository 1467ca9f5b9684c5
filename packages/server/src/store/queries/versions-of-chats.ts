import { statement } from '../statement.ts';

export interface ChatVersion {
  readonly id: string;
  readonly snapshot_version: number;
  readonly worker_id: string | null;
}

/** Which of these chats have changed, or have another owner: one statement for all that a process watches. */
export const versionsOfChats = statement<ChatVersion>(
  'versions-of-chats',
  `SELECT id, snapshot_version, worker_id FROM chats WHERE id = ANY ($1::uuid[])`,
);
