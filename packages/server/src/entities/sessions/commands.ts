import { SUSPENDED } from '../../auth/authorize.ts';
import { writeAuditEvent } from '../../auth/audit.ts';
import { checkPassword } from '../../auth/password.ts';
import { Refused } from '../../chat/refused.ts';
import type { SignInAttempts } from '../../limits/sign-in-attempts.ts';
import type { UserRow } from '../../store/accounts.ts';
import { findCredentials } from '../../store/queries/users.ts';
import type { Queryable } from '../../store/statement.ts';

export class SessionCommands {
  readonly #db: Queryable;
  readonly #attempts: SignInAttempts;

  constructor(db: Queryable, attempts: SignInAttempts) {
    this.#db = db;
    this.#attempts = attempts;
  }

  /** Returns the user if the password is correct. Failed attempts count toward the limit of the account and the address. */
  async checkPassword(username: string, password: string, address: string): Promise<UserRow> {
    await this.#attempts.begin(username, address);
    const [user] = await this.#db.query(findCredentials, { username });
    const correct = await checkPassword(password, user?.password_hash ?? null);
    if (!correct || user === undefined) {
      // An unknown name is not recorded: it may be a password in the wrong field.
      const actor = { kind: 'anonymous', ip: address } as const;
      const targetId = user?.id ?? null;
      await writeAuditEvent(this.#db, actor, { action: 'user.sign_in_failed', targetId });
      throw new Refused('invalid_credentials', 'The user name or password is wrong.');
    }
    await this.#attempts.succeeded(username, address);
    if (user.suspended) throw new Refused('invalid_credentials', SUSPENDED);
    return user;
  }
}
