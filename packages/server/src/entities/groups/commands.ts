import type { Routes } from '@chatd/protocol';
import type { z } from 'zod';
import type { AccountChanges } from '../../auth/account-changes.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import { noRowsIfTaken } from '../../store/constraint.ts';
import type { Providers } from '../../providers/providers.ts';
import type { GroupRow } from '../../store/groups.ts';
import {
  addGroupMembers,
  deleteGroup,
  findGroup,
  insertGroup,
  keepUsers,
  removeGroupFromMcpServers,
  removeGroupFromModelConfigs,
  removeGroupMembers,
  updateGroup,
} from '../../store/queries/groups.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

type NewGroup = z.output<Routes['createGroup']['body']>;
type GroupChange = z.output<Routes['updateGroup']['body']>;
type MemberChange = z.output<Routes['updateGroupMembers']['body']>;

export class GroupCommands {
  readonly #changes: Pick<AccountChanges, 'publish'>;
  readonly #providers: Pick<Providers, 'changed'>;

  constructor(changes: Pick<AccountChanges, 'publish'>, providers: Pick<Providers, 'changed'>) {
    this.#changes = changes;
    this.#providers = providers;
  }

  async create(
    { name, mirrored, spend_limit_micros = null }: NewGroup,
    tx: Transaction,
  ): Promise<GroupRow> {
    const [group] = await tx.query(insertGroup, {
      id: uuidv7(),
      name,
      mirrored,
      spend_limit_micros,
    });
    if (group === undefined) throw nameTaken(name);
    return group;
  }

  async update(before: GroupRow, change: GroupChange, tx: Transaction): Promise<GroupRow> {
    const { name = null, mirrored = null, spend_limit_micros } = change;
    if (before.mirrored && mirrored !== false && name !== null && name !== before.name) {
      throw isMirrored(before, 'Its name comes from there');
    }
    const [group] = await noRowsIfTaken(
      tx.query(updateGroup, {
        id: before.id,
        name,
        mirrored,
        sets_spend_limit: spend_limit_micros !== undefined,
        spend_limit_micros: spend_limit_micros ?? null,
      }),
    );
    if (group !== undefined) return group;
    throw name === null ? notFound() : nameTaken(name);
  }

  /** Models and MCP servers that only this group could use are then only for admins. */
  async delete({ id }: GroupRow, tx: Transaction): Promise<void> {
    const members = await tx.query(deleteGroup, { id });
    await tx.query(removeGroupFromModelConfigs, { id });
    await tx.query(removeGroupFromMcpServers, { id });
    this.#announce(tx, members);
  }

  async updateMembers(
    group: GroupRow,
    { add, remove }: MemberChange,
    tx: Transaction,
  ): Promise<GroupRow> {
    if (group.mirrored) throw isMirrored(group, 'Its members come from there');
    const { id: group_id } = group;
    const known = new Set((await tx.query(keepUsers, { ids: add })).map(({ id }) => id));
    const unknown = add.find((id) => !known.has(id));
    if (unknown !== undefined) {
      throw new Refused('unknown_user', `User ${unknown} does not exist.`);
    }
    const added = await tx.query(addGroupMembers, { group_id, user_ids: [...known] });
    const removed = await tx.query(removeGroupMembers, { group_id, user_ids: remove });
    this.#announce(tx, [...added, ...removed]);
    return await requireGroup(tx, group_id);
  }

  /** The users have other rights from the commit on. */
  #announce(tx: Transaction, users: readonly { readonly user_id: string }[]): void {
    if (users.length === 0) return;
    tx.afterCommit(() => {
      this.#providers.changed();
      for (const { user_id } of users) this.#changes.publish(user_id);
    });
  }
}

async function requireGroup(db: Queryable, id: string): Promise<GroupRow> {
  const [group] = await db.query(findGroup, { id });
  if (group === undefined) throw notFound();
  return group;
}

const nameTaken = (name: string) =>
  new Refused('group_name_taken', `A group named ${name} already exists.`);

const isMirrored = ({ name }: GroupRow, why: string) =>
  new Refused(
    'group_mirrored',
    `The group ${name} is mirrored from the identity provider. ${why}. Change it there, or set mirrored to false.`,
  );
