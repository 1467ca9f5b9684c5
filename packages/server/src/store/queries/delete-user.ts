import { statement } from '../statement.ts';

/** Chats, files, tokens and sessions go with the user; what was spent stays in model_calls. */
export const deleteUser = statement<never>('delete-user', `DELETE FROM users WHERE id = $1`);
