import type { Database } from '../store/database.ts';
import { insertUser, oldestAdmin } from '../store/queries/users.ts';
import { replaceBootstrapToken } from '../store/queries/tokens.ts';
import { uuidv7 } from '../store/uuid.ts';
import type { AccountChanges } from './account-changes.ts';
import { hashSecret } from './secret.ts';

/**
 * Creates the user `admin`, without a password, on the first start. Sets the token of the operator on every start.
 * Returns the admin for the sign-in link.
 */
export async function bootstrap(
  database: Database,
  adminToken: string | undefined,
  changes: Pick<AccountChanges, 'publish'>,
): Promise<{ id: string }> {
  let [admin] = await database.query(oldestAdmin);
  if (admin === undefined) {
    // Of replicas that start together, one creates the user and all read it.
    await database.query(insertUser, {
      id: uuidv7(),
      username: 'admin',
      role: 'admin',
      password_hash: null,
    });
    [admin] = await database.query(oldestAdmin);
  }
  if (admin === undefined) throw new Error('The admin could not be created.');
  const hash = adminToken === undefined ? null : hashSecret(adminToken);
  const earlier = await database.query(replaceBootstrapToken, {
    id: uuidv7(),
    user_id: admin.id,
    secret_hash: hash,
  });
  for (const { user_id } of earlier) changes.publish(user_id);
  return admin;
}
