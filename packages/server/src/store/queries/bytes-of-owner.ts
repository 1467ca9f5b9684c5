import { statement } from '../statement.ts';
import { COUNTED_BYTES } from './counted-bytes.ts';

/** Index-only, through files_size_by_owner. */
export const bytesOfOwner = statement<{ bytes: number }>(
  'bytes-of-owner',
  `SELECT ${COUNTED_BYTES} AS bytes FROM files WHERE owner_id = $1`,
);
