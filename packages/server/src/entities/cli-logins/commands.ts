import { createHash, randomInt } from 'node:crypto';
import { writeAuditEvent } from '../../auth/audit.ts';
import { type Caller, requireUnrestricted } from '../../auth/caller.ts';
import { hashSecret, newSecret } from '../../auth/secret.ts';
import { Refused } from '../../chat/refused.ts';
import type { TokenRow, UserRow } from '../../store/accounts.ts';
import {
  approveCliLogin,
  findPendingCliLogin,
  insertCliLogin,
  useCliLogin,
} from '../../store/queries/sign-in/cli-logins.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { TokenCommands } from '../tokens/commands.ts';

/** The user types the code into a browser. */
const PENDING_MINUTES = 15;
/** The browser passes the code on at once. */
const CODE_MINUTES = 2;

/** Without vowels and similar letters, so that a code is no word and is not misread. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF = 4;

interface NewLogin {
  /** The secret of the command. */
  readonly code: string;
  readonly expiresAt: Date;
}

/**
 * Logins of the chatd command through a browser. On the same computer, the browser passes a one-time code to the command,
 * which proves with its verifier that it asked for it. Elsewhere, the user enters a code that the command shows.
 */
export class CliLoginCommands {
  readonly #tokens: TokenCommands;

  constructor(tokens: TokenCommands) {
    this.#tokens = tokens;
  }

  async start(db: Queryable, name: string): Promise<NewLogin & { readonly userCode: string }> {
    const code = newSecret();
    for (;;) {
      const userCode = newUserCode();
      const [row] = await db.query(insertCliLogin, {
        secret_hash: hashSecret(code),
        challenge: null,
        user_code: userCode,
        name,
        user_id: null,
        minutes: PENDING_MINUTES,
      });
      if (row !== undefined) return { code, userCode, expiresAt: row.expires_at };
    }
  }

  /** Returns the name of the token. */
  async approve(db: Queryable, by: Caller, given: string): Promise<string> {
    requireUnrestricted(by, 'Approving a login');
    const letters = given.toUpperCase().replaceAll(/[^A-Z]/g, '');
    const user_code = `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
    const [login] = await db.query(approveCliLogin, { user_code, user_id: by.user.id });
    if (login !== undefined) return login.name;
    throw new Refused(
      'invalid_cli_login',
      'This code is unknown, was used, or has expired. Run chatd login again.',
    );
  }

  async createCode(
    db: Queryable,
    by: Caller,
    { challenge, name }: { readonly challenge: string; readonly name: string },
  ): Promise<NewLogin> {
    requireUnrestricted(by, 'Approving a login');
    const code = newSecret();
    const [row] = await db.query(insertCliLogin, {
      secret_hash: hashSecret(code),
      challenge: Buffer.from(challenge, 'base64url'),
      user_code: null,
      name,
      user_id: by.user.id,
      minutes: CODE_MINUTES,
    });
    if (row === undefined) throw new Error('The code of a login exists.');
    return { code, expiresAt: row.expires_at };
  }

  /** Creates the token of an approved login. */
  async finish(
    tx: Transaction,
    {
      code,
      verifier,
      ip,
    }: { readonly code: string; readonly verifier?: string; readonly ip: string },
  ): Promise<{ token: TokenRow; secret: string }> {
    const secret_hash = hashSecret(code);
    const challenge =
      verifier === undefined ? null : createHash('sha256').update(verifier).digest();
    const [login] = await tx.query(useCliLogin, { secret_hash, challenge });
    if (login === undefined) throw await notUsable(tx, secret_hash);
    const { token_name: name, ...user } = login;
    const created = await this.#tokens.create(asCaller(user), { name }, tx);
    await writeAuditEvent(
      tx,
      { kind: 'user', id: user.id, name: user.username, ip },
      { action: 'token.create', targetId: created.token.id, detail: { name, by: 'cli_login' } },
    );
    return created;
  }
}

/** The user who approved the login, with all permissions. */
const asCaller = (user: UserRow): Caller => ({
  user,
  scopes: null,
  expiresAt: null,
  tokenId: null,
  session: null,
});

async function notUsable(tx: Transaction, secret_hash: Buffer): Promise<Refused> {
  const [pending] = await tx.query(findPendingCliLogin, { secret_hash });
  return pending === undefined
    ? new Refused(
        'invalid_cli_login',
        'The code of this login is unknown, was used, or has expired. Run chatd login again.',
      )
    : new Refused('cli_login_pending', 'The user has not approved this login yet. Try again soon.');
}

const newUserCode = (): string => `${randomLetters()}-${randomLetters()}`;

const randomLetters = (): string =>
  Array.from({ length: HALF }, () => LETTERS[randomInt(LETTERS.length)]).join('');
