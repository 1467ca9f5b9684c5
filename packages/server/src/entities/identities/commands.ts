import type { AccountChanges } from '../../auth/account-changes.ts';
import { writeAuditEvent } from '../../auth/audit.ts';
import { foundRow } from '../../chat/refused.ts';
import type { OidcOptions } from '../../oidc/options.ts';
import type { Profile } from '../../oidc/profile.ts';
import { SignInFailure } from '../../oidc/sign-in-failure.ts';
import type { UserRow } from '../../store/accounts.ts';
import { toJson } from '../../store/json.ts';
import {
  findIdentity,
  lockIdentity,
  saveIdentity,
} from '../../store/queries/sign-in/identities.ts';
import { insertUser, lockAdmins, updateUser } from '../../store/queries/users.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { syncGroups } from '../groups/sync-groups.ts';

type Rules = Pick<OidcOptions, 'adminGroups' | 'allowedDomains'>;

const MAX_NUMBERED = 20;

/** The users of accounts at the OIDC provider, found by issuer and subject only. */
export class IdentityCommands {
  readonly #changes: Pick<AccountChanges, 'publish'>;
  readonly #rules: Rules;

  constructor(changes: Pick<AccountChanges, 'publish'>, rules: Rules) {
    this.#changes = changes;
    this.#rules = rules;
  }

  /** Finds or creates the user. The admin role follows the groups of the account. Throws `SignInFailure`. */
  async signIn(tx: Transaction, profile: Profile, ip: string): Promise<UserRow> {
    checkDomain(profile, this.#rules.allowedDomains);
    const { issuer, subject, email = null } = profile;
    await tx.query(lockIdentity, { issuer, subject });
    const [known] = await tx.query(findIdentity, { issuer, subject });
    if (known?.suspended === true) throw new SignInFailure('suspended', { userId: known.id });
    const user = known ?? (await createUser(tx, profile, ip));
    const groups = toJson([...profile.groups]);
    await tx.query(saveIdentity, { issuer, subject, user_id: user.id, email, groups });
    if (await syncGroups(tx, user.id, profile.groups)) {
      tx.afterCommit(() => this.#changes.publish(user.id));
    }
    return await this.#followGroups(tx, user, profile, ip);
  }

  /** Connects the account with an existing user, who has a session. The admin role follows from the next sign-in. Throws `SignInFailure`. */
  async connect(tx: Transaction, profile: Profile, user: UserRow, ip: string): Promise<void> {
    checkDomain(profile, this.#rules.allowedDomains);
    if (user.suspended) throw new SignInFailure('suspended', { userId: user.id });
    const { issuer, subject, email = null } = profile;
    await tx.query(lockIdentity, { issuer, subject });
    const [known] = await tx.query(findIdentity, { issuer, subject });
    if (known !== undefined && known.id !== user.id) {
      throw new SignInFailure('connected_to_other', { detail: known.username, userId: known.id });
    }
    const groups = toJson([...profile.groups]);
    await tx.query(saveIdentity, { issuer, subject, user_id: user.id, email, groups });
    await syncGroups(tx, user.id, profile.groups);
    const actor = { kind: 'user', id: user.id, name: user.username, ip } as const;
    const event = {
      action: 'user.connect_identity',
      targetId: user.id,
      detail: { issuer },
    } as const;
    await writeAuditEvent(tx, actor, event);
    tx.afterCommit(() => this.#changes.publish(user.id));
  }

  async #followGroups(
    tx: Transaction,
    user: UserRow,
    { groups }: Profile,
    ip: string,
  ): Promise<UserRow> {
    const { adminGroups } = this.#rules;
    const isAdmin = groups.some((group) => adminGroups.includes(group));
    if (adminGroups.length === 0 || isAdmin === (user.role === 'admin')) return user;
    // The last admin stays one, so that the deployment can be managed.
    if (!isAdmin && (await tx.query(lockAdmins)).every(({ id }) => id === user.id)) return user;
    const role = isAdmin ? 'admin' : 'member';
    const rows = await tx.query(updateUser, {
      id: user.id,
      role,
      password_hash: null,
      sets_spend_limit: false,
      spend_limit_micros: null,
      suspended: null,
    });
    await recordChange(tx, 'user.update', user.id, { role }, ip);
    tx.afterCommit(() => this.#changes.publish(user.id));
    return foundRow(rows);
  }
}

/** An address counts only if the provider has verified it: otherwise its user could have made it up. */
function checkDomain({ email, emailVerified }: Profile, domains: readonly string[]): void {
  if (domains.length === 0) return;
  const detail = email ?? '';
  if (!emailVerified) throw new SignInFailure('email_not_verified', { detail });
  const domain = detail.slice(detail.lastIndexOf('@') + 1).toLowerCase();
  if (!domains.includes(domain)) throw new SignInFailure('domain_not_allowed', { detail });
}

/** A member with the name of the account, numbered if the name is taken. */
async function createUser(tx: Transaction, { username }: Profile, ip: string): Promise<UserRow> {
  for (let number = 1; ; number++) {
    const id = uuidv7();
    const suffix = number > MAX_NUMBERED ? `-${id.slice(-12)}` : number > 1 ? `-${number}` : '';
    const name = `${username}${suffix}`;
    const row = { id, username: name, role: 'member', password_hash: null };
    const [user] = await tx.query(insertUser, row);
    if (user === undefined) continue;
    await recordChange(tx, 'user.create', id, { username: name, role: 'member' }, ip);
    return user;
  }
}

const recordChange = (
  tx: Transaction,
  action: 'user.create' | 'user.update',
  targetId: string,
  detail: Readonly<Record<string, string>>,
  ip: string,
) =>
  writeAuditEvent(
    tx,
    { kind: 'system', ip },
    { action, targetId, detail: { ...detail, by: 'oidc' } },
  );
