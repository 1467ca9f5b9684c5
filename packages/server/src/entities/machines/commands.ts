import { type LabelChanges, MachineLabels, type Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { hashSecret, MACHINE_TOKEN_PREFIX, newSecret } from '../../auth/secret.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import { noRowsIfTaken } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import type { MachineRow } from '../../store/machines.ts';
import {
  deleteMachine,
  findMachine,
  insertMachine,
  lockMachine,
  rotateMachineToken,
  updateMachine,
} from '../../store/queries/machines.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

type NewMachine = z.output<Routes['createMachine']['body']>;
type MachineChange = z.output<Routes['updateMachine']['body']>;

export class MachineCommands {
  /** Returns the token, which is not stored and cannot be read again. */
  async create(
    { name, labels = {} }: NewMachine,
    db: Queryable,
  ): Promise<{ machine: MachineRow; token: string }> {
    const token = newSecret(MACHINE_TOKEN_PREFIX);
    const [made] = await db.query(insertMachine, {
      id: uuidv7(),
      name,
      labels: toJson(labels),
      secret_hash: hashSecret(token),
      reserved_for: null,
    });
    if (made === undefined) throw nameTaken(name);
    return { machine: await requireMachine(made.id, db), token };
  }

  async update(machine: MachineRow, change: MachineChange, db: Queryable): Promise<MachineRow> {
    const { name = null, labels, draining = null } = change;
    const [updated] = await noRowsIfTaken(
      db.query(updateMachine, {
        id: machine.id,
        name,
        labels: labels === undefined ? null : toJson(changedLabels(machine.admin_labels, labels)),
        draining,
      }),
    );
    if (updated === undefined && name !== null) throw nameTaken(name);
    return await requireMachine(machine.id, db);
  }

  /** Returns the new token. The previous one is not valid any more, and its connection ends. */
  async rotateToken({ id, name, kind, reserved_for }: MachineRow, db: Queryable): Promise<string> {
    if (kind === 'local')
      throw new Refused('built_in', `The machine ${name} is part of a server and has no token.`);
    if (reserved_for !== null)
      throw new Refused('built_in', `The token of the machine ${name} belongs to its provisioner.`);
    const token = newSecret(MACHINE_TOKEN_PREFIX);
    const secret_hash = hashSecret(token);
    const [changed] = await db.query(rotateMachineToken, { id, secret_hash });
    if (changed === undefined) throw notFound();
    return token;
  }

  async delete({ id }: MachineRow, force: boolean, tx: Transaction): Promise<void> {
    await tx.query(lockMachine, { id });
    checkDeletion(await requireMachine(id, tx), force);
    await tx.query(deleteMachine, { id });
  }
}

function checkDeletion({ name, kind, online, workspaces }: MachineRow, force: boolean): void {
  if (kind === 'local' && online) {
    throw new Refused(
      'built_in',
      `The machine ${name} is part of a running server. Start that server with CHATD_LOCAL_MACHINE=0 first.`,
    );
  }
  if (workspaces === 0 || force) return;
  throw new Refused(
    'machine_in_use',
    `The machine ${name} has ${workspaces} workspace${workspaces === 1 ? '' : 's'}. Delete them first, or set force=true to delete them with the machine.`,
  );
}

function changedLabels(before: MachineLabels, changes: LabelChanges): MachineLabels {
  const after = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null);
  const labels = MachineLabels.safeParse(Object.fromEntries(after));
  if (labels.success) return labels.data;
  throw new Refused('invalid_labels', `labels: ${labels.error.issues[0]?.message ?? 'too many'}`);
}

async function requireMachine(id: string, db: Queryable): Promise<MachineRow> {
  const [row] = await db.query(findMachine, { id });
  if (row === undefined) throw notFound();
  return row;
}

const nameTaken = (name: string) =>
  new Refused('machine_name_taken', `A machine named ${name} already exists.`);
