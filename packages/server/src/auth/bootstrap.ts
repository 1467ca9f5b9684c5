import type { Database } from '../store/database.ts';
import { insertUser, oldestAdmin } from '../store/queries/users.ts';
import { replaceBootstrapToken } from '../store/queries/tokens.ts';
import { uuidv7 } from '../store/uuid.ts';
import { hashSecret } from './secret.ts';

/**
 * Makes sure that somebody can come in. The first start makes the user `admin`, without a password; every start
 * sets the operator's token. Returns the admin whom a printed link signs in.
 */
export async function bootstrap(
  database: Database,
  adminToken: string | undefined,
): Promise<{ id: string }> {
  let [admin] = await database.query(oldestAdmin);
  if (admin === undefined) {
    // Of replicas that start together one makes it, and all read it.
    await database.query(insertUser, {
      id: uuidv7(),
      username: 'admin',
      role: 'admin',
      password_hash: null,
    });
    [admin] = await database.query(oldestAdmin);
  }
  if (admin === undefined) throw new Error('there is no admin, and none could be made');
  const hash = adminToken === undefined ? null : hashSecret(adminToken);
  await database.query(replaceBootstrapToken, {
    id: uuidv7(),
    user_id: admin.id,
    secret_hash: hash,
  });
  return admin;
}
