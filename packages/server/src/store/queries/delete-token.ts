import { statement } from '../statement.ts';

export const deleteToken = statement<never>('delete-token', `DELETE FROM tokens WHERE id = $1`);
