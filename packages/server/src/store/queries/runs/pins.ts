import { statement } from '../../statement.ts';

/** Worker $2 holds sessions of the chat. */
export const pinChat = statement<never>(
  'pin-chat',
  `UPDATE chats SET pinned_worker_id = $2 WHERE id = $1`,
);

/** Unless another worker has taken sessions up since. */
export const unpinChat = statement<never>(
  'unpin-chat',
  `UPDATE chats SET pinned_worker_id = NULL WHERE id = $1 AND pinned_worker_id = $2`,
);
