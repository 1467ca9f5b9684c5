import { statement } from '../statement.ts';

/** Messages that name it keep its id, name and type. */
export const deleteFile = statement<never>('delete-file', `DELETE FROM files WHERE id = $1`);
