import { statement } from '../statement.ts';

/**
 * The token that the operator gave at the start is valid for as long as servers are started with it: another
 * one, or none ($3 is null), ends those before. It is always the token of somebody who is an admin now.
 */
export const replaceBootstrapToken = statement<never>(
  'replace-bootstrap-token',
  `WITH ended AS (
     DELETE FROM tokens WHERE bootstrap AND secret_hash IS DISTINCT FROM $3::bytea
   )
   INSERT INTO tokens (id, user_id, name, secret_hash, bootstrap)
   SELECT $1::uuid, $2::uuid, 'CHATD_ADMIN_TOKEN', $3::bytea, true
    WHERE $3::bytea IS NOT NULL
   ON CONFLICT (secret_hash) DO UPDATE SET user_id = excluded.user_id WHERE tokens.bootstrap`,
);
