import { statement } from '../statement.ts';

export const purgeSessions = statement<{ user_id: string }>(
  'purge-sessions',
  `DELETE FROM sessions
    WHERE secret_hash IN (SELECT secret_hash FROM sessions
                           WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING user_id`,
);
