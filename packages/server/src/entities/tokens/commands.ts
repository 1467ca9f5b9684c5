import type { Routes, Scope } from '@chatd/protocol';
import type { z } from 'zod';
import type { AccountChanges } from '../../auth/account-changes.ts';
import { type Caller, requireAdmin } from '../../auth/caller.ts';
import { hashSecret, newSecret, TOKEN_PREFIX } from '../../auth/secret.ts';
import { Refused, refusedField } from '../../chat/refused.ts';
import { withinQuota } from '../../limits/quota.ts';
import type { TokenRow } from '../../store/accounts.ts';
import { deleteToken, insertToken } from '../../store/queries/tokens.ts';
import { loadSettings } from '../../store/settings.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

type NewToken = z.output<Routes['createToken']['body']>;

export class TokenCommands {
  readonly #changes: Pick<AccountChanges, 'publish'>;

  constructor(changes: Pick<AccountChanges, 'publish'>) {
    this.#changes = changes;
  }

  /** Returns the secret, which is not stored and cannot be read again. */
  async create(
    by: Caller,
    given: NewToken,
    tx: Transaction,
  ): Promise<{ token: TokenRow; secret: string }> {
    const planned = planToken(by, given, new Date());
    const secret = newSecret(TOKEN_PREFIX);
    const row = { id: uuidv7(), secret_hash: hashSecret(secret), ...planned };
    const { user_id: userId } = planned;
    const { max_tokens_per_user: most } = await loadSettings(tx);
    const [token] = await withinQuota(tx, { userId, of: 'tokens', most }, () =>
      tx.query(insertToken, row),
    );
    if (token === undefined) throw new Refused('unknown_user', `User ${userId} does not exist.`);
    return { token, secret };
  }

  async revoke({ id, user_id }: TokenRow, tx: Transaction): Promise<void> {
    await tx.query(deleteToken, { id });
    tx.afterCommit(() => this.#changes.publish(user_id));
  }
}

/** A token that is created with another token has no more rights than that one, and expires no later. */
function planToken(by: Caller, { user_id, name, scopes, expires_at }: NewToken, now: Date) {
  const owner = user_id?.toLowerCase() ?? by.user.id;
  if (owner !== by.user.id) requireAdmin(by, 'user_id');
  return {
    user_id: owner,
    name,
    scopes: scopesWithin(by, scopes),
    expires_at: expiryWithin(by, expires_at, now),
  };
}

function scopesWithin(
  { scopes }: Caller,
  given: readonly Scope[] | undefined,
): readonly Scope[] | null {
  const wanted = given === undefined ? null : [...new Set(given)];
  if (scopes === null) return wanted;
  const missing = wanted?.filter((scope) => !scopes.includes(scope)) ?? [];
  if (missing.length === 0) return wanted ?? scopes;
  throw new Refused(
    'insufficient_scope',
    `scopes: the token of this request does not have ${missing.join(', ')}`,
  );
}

function expiryWithin({ expiresAt }: Caller, given: string | undefined, now: Date): Date | null {
  if (given === undefined) return expiresAt;
  const wanted = new Date(given);
  if (wanted <= now) throw refusedField('expires_at', 'is in the past');
  if (expiresAt !== null && wanted > expiresAt) {
    throw refusedField('expires_at', 'is later than the expiry of the token of this request');
  }
  return wanted;
}
