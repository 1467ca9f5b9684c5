import { statement } from '../../statement.ts';

/** The worker holds MCP sessions of the chat. */
export const pinChat = statement<{ chat_id: string; worker_id: string }, never>(
  'pin-chat',
  `UPDATE chats SET pinned_worker_id = :worker_id WHERE id = :chat_id`,
);

/** Unless another worker has opened sessions since. */
export const unpinChat = statement<{ chat_id: string; worker_id: string }, never>(
  'unpin-chat',
  `UPDATE chats SET pinned_worker_id = NULL WHERE id = :chat_id AND pinned_worker_id = :worker_id`,
);
