import { statement } from '../statement.ts';

/** Messages that name it keep its id, name and type. A trigger notes an object that goes with it. */
export const deleteFile = statement<never>('delete-file', `DELETE FROM files WHERE id = $1`);
