import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '@chatd/loop';
import type { WorkspaceStatus } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus, Subscription } from '../bus/bus.ts';
import { Refused } from '../chat/refused.ts';
import { withinQuota } from '../limits/quota.ts';
import type { Database } from '../store/database.ts';
import { toJson } from '../store/json.ts';
import {
  beginWithFiles,
  claimWorkspace,
  deletedWorkspaces,
  findWorkspace,
  findWorkspaceByCall,
  insertWorkspace,
  moveWorkspace,
  stopIdleWorkspaces,
  touchWorkspaces,
  workspaceRemoved,
  workspacesById,
} from '../store/queries/workspaces.ts';
import { dropCheckpoints, removedCheckpoints } from '../store/queries/checkpoints.ts';
import { onlyRow, type Queryable } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import { sourcesOf, type WorkspaceRow } from '../store/workspaces.ts';
import { CheckpointsUnavailable } from '../machine/checkpoints/hosted-checkpoints.ts';
import { WorkspaceOpenError } from '../machine/drivers/driver.ts';
import { type HostedWorkspace, MachineOffline, type OwnMachine } from '../machine/machine.ts';
import type { Machines, UseOptions } from '../machines/machines.ts';
import type { Provisioners } from '../provisioners/provisioners.ts';
import { NO_GATEWAY, type WorkspaceGateway } from './gateway.ts';
import { WorkspaceSetups } from './setup/workspace-setups.ts';
import { OpenWorkspaces, type Prepare } from './open-workspaces.ts';
import { workspaceSpecOf } from './workspace-spec.ts';
import type { KnownTemplate, Templates } from './templates.ts';

export interface WorkspacesOptions {
  readonly database: Database;
  readonly machines: Machines;
  /** Makes machines for templates that ask for one per workspace. */
  readonly provisioners?: Provisioners;
  readonly templates: Templates;
  readonly log: Logger;
  readonly bus?: Bus;
  readonly clock?: Clock;
  /** Idle time after which a workspace is stopped. 0: never. */
  readonly idleMs?: number;
  readonly sweepMs?: number;
  readonly prepare?: Prepare;
  /** Default: programs in workspaces do not reach the server. */
  readonly gateway?: WorkspaceGateway;
  /** Maximum number of workspaces per user. Null: no limit. */
  readonly maxPerUser?: () => Promise<number | null>;
}

export interface NewWorkspace {
  readonly ownerId: string;
  readonly template: Pick<KnownTemplate, 'id' | 'name' | 'definition'>;
  readonly name?: string | undefined;
  /** Idempotency key: the tool call that requests the workspace. */
  readonly call?: string;
  /** Files of a workspace, on whose machine the new one is created. */
  readonly files?: { readonly of: WorkspaceRow; readonly tree: string };
}

const SUBJECT = 'workspaces';
const IDLE_MS = 60 * 60_000;
const SWEEP_MS = 20_000;
/** Younger records without a row may get one. */
const PRUNE_MARGIN_MS = 60 * 60_000;
/** A sweep does not wait longer for a machine. */
const MACHINE_SWEEP_MS = 10_000;

/** Creates, opens, stops and removes workspaces. */
export class Workspaces {
  readonly templates: Templates;
  readonly clock: Clock;
  readonly #options: WorkspacesOptions;
  readonly #open: OpenWorkspaces;
  readonly #setups: WorkspaceSetups;
  /** Workspaces that were open on a machine at the last sweep, although they are not ready. */
  #leftOpen = new Set<string>();
  /** Machines that an earlier sweep still waits for. */
  readonly #slow = new Set<string>();
  #subscription: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.templates = options.templates;
    this.clock = options.clock ?? systemClock;
    this.#open = new OpenWorkspaces(options.prepare, options.gateway);
    this.#setups = new WorkspaceSetups({
      database: options.database,
      machines: options.machines,
      provisioners: options.provisioners,
      gateway: options.gateway ?? NO_GATEWAY,
      clock: this.clock,
      log: options.log,
      onEnd: (row) => this.#tell(row),
    });
  }

  async start(): Promise<void> {
    const { bus, sweepMs = SWEEP_MS } = this.#options;
    this.#subscription = await bus?.subscribe(SUBJECT, (payload) => {
      const { id, status } = payload as unknown as { id: string; status: WorkspaceStatus };
      if (status !== 'ready') this.#open.forget(id);
      if (status === 'deleted') void this.sweep();
    });
    const again = () => {
      this.#timer = setTimeout(() => void this.sweep().finally(again), sweepMs);
      this.#timer.unref();
    };
    again();
  }

  /** Setup begins after the commit. */
  async create(wanted: NewWorkspace, tx?: Transaction): Promise<WorkspaceRow> {
    if (tx === undefined) {
      return await this.#options.database.transaction((own) => this.create(wanted, own));
    }
    const most = (await this.#options.maxPerUser?.()) ?? null;
    return await withinQuota(tx, { userId: wanted.ownerId, of: 'workspaces', most }, () =>
      this.#create(wanted, tx),
    );
  }

  async #create(wanted: NewWorkspace, tx: Transaction): Promise<WorkspaceRow> {
    const { ownerId, template, call = null, files } = wanted;
    const { machines, provisioners } = this.#options;
    const id = uuidv7();
    const machine =
      (files && { id: files.of.host_id, name: files.of.host_name }) ??
      (await provisioners?.reserve(id, template.definition, tx)) ??
      (await machines.place(template.definition, tx));
    const [row] = await tx.query(insertWorkspace, {
      id,
      owner_id: ownerId,
      name: wanted.name ?? template.name,
      template_id: template.id,
      template_name: template.name,
      definition: toJson(template.definition),
      host_id: machine.id,
      host_name: machine.name,
      made_by_call: call,
    });
    if (row === undefined) {
      const [earlier] = await tx.query(findWorkspaceByCall, { made_by_call: call });
      if (earlier === undefined) throw new Error('the inserted workspace was not found');
      return earlier;
    }
    const created = files === undefined ? row : await this.#withFiles(row, files, tx);
    tx.afterCommit(() => void this.#setups.begin(created));
    return created;
  }

  async #withFiles(
    { id }: WorkspaceRow,
    { of, tree }: NonNullable<NewWorkspace['files']>,
    tx: Transaction,
  ): Promise<WorkspaceRow> {
    const files_from = toJson({ workspace_id: of.id, tree });
    return onlyRow(await tx.query(beginWithFiles, { id, files_from }));
  }

  /** Waits for the setup to end and passes on its output. Undefined: the workspace no longer exists. */
  async awaitSetup(
    id: string,
    options: { signal: AbortSignal; onOutput: (bytes: Uint8Array) => void },
  ): Promise<WorkspaceRow | undefined> {
    return await this.#setups.join(id, options);
  }

  async find(
    id: string,
    db: Queryable = this.#options.database,
  ): Promise<WorkspaceRow | undefined> {
    const [row] = await db.query(findWorkspace, { id });
    return row;
  }

  logOf(row: WorkspaceRow): string {
    return this.#setups.find(row.id)?.log ?? row.log;
  }

  /** Starts a stopped workspace, or repeats a failed setup. */
  async restart(row: WorkspaceRow, tx?: Transaction): Promise<WorkspaceRow> {
    if (row.status === 'ready') return row;
    if (row.status === 'stopped') return (await this.#move(row.id, 'ready', tx)) ?? row;
    const [claimed] = await (tx ?? this.#options.database).query(claimWorkspace, { id: row.id });
    if (claimed === undefined) return row;
    afterCommit(tx, () => void this.#setups.begin(claimed));
    return claimed;
  }

  async stop(row: WorkspaceRow, tx?: Transaction): Promise<WorkspaceRow> {
    if (row.status === 'stopped') return row;
    const stopped = await this.#move(row.id, 'stopped', tx);
    if (stopped === undefined) throw notReady(row);
    if (tx === undefined) await this.#shut(row);
    else tx.afterCommit(() => void this.#shut(row));
    return stopped;
  }

  /** The replica that holds the machine deletes the files: at once, or with its next sweep. */
  async delete(row: WorkspaceRow): Promise<void> {
    await this.markDeleted(row);
    await this.removeDeleted(row);
  }

  async markDeleted({ id }: WorkspaceRow, tx?: Transaction): Promise<void> {
    await this.#move(id, 'deleted', tx);
  }

  /** Follows the commit of `markDeleted`. */
  async removeDeleted({ id }: WorkspaceRow): Promise<void> {
    this.#open.forget(id);
    await this.sweep();
  }

  /** Opens the workspace if necessary. Throws a `Refused` that says what to do if it cannot be used. */
  async use(id: string, options?: UseOptions): Promise<HostedWorkspace> {
    const open = this.#open.find(id);
    if (open !== undefined) return await open.catch(cannotOpen);
    const row = await this.find(id);
    if (row?.status !== 'ready') throw notReady(row);
    const machine = await this.#options.machines.use(row.host_id, options);
    return await this.#open.open(row, machine).catch(cannotOpen);
  }

  /** Marks an open workspace as in use. */
  used(id: string): void {
    this.#open.used(id);
  }

  /** Marks a workspace as in use until the returned function is called. */
  hold(id: string): () => void {
    return this.#open.hold(id);
  }

  /** Counts a call, for metrics. */
  count(outcome: 'recovered' | 'lost'): void {
    this.#options.machines.count(outcome);
  }

  /** Undefined: the workspace is not open, or its machine is offline. */
  async peek(row: WorkspaceRow): Promise<HostedWorkspace | undefined> {
    if (row.status !== 'ready') return undefined;
    try {
      const machine = await this.#options.machines.use(row.host_id);
      return await machine.peek(row.id);
    } catch (error) {
      if (isOffline(error)) return undefined;
      throw error;
    }
  }

  /** Reads from a workspace. A stopped one is opened, and closed by a later sweep. */
  async visit<T>(row: WorkspaceRow, look: (workspace: HostedWorkspace) => Promise<T>): Promise<T> {
    if (row.status === 'ready') return await look(await this.use(row.id));
    if (row.status !== 'stopped') throw notReady(row);
    const machine = await this.#options.machines.use(row.host_id);
    return await look(await machine.open(workspaceSpecOf(row)).catch(cannotOpen));
  }

  /** Stops idle workspaces, and removes deleted ones, on the machines that this replica holds. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() =>
      this.#sweep().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'workspace sweep failed'),
      ),
    );
    return this.#sweeping;
  }

  /** Leaves running setups to other replicas. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#subscription?.close();
    await this.#setups.close();
    await this.#sweeping;
    clearTimeout(this.#timer);
  }

  async #sweep(): Promise<void> {
    const { database, machines, idleMs = IDLE_MS } = this.#options;
    const used = this.#open.takeUsed();
    if (used.length > 0) await database.query(touchWorkspaces, { ids: used });
    for (const machine of machines.held()) await this.#sweepOrSkip(machine, idleMs);
    await this.#options.provisioners?.sweep();
  }

  /** A machine that fails or does not answer must not delay the others. */
  async #sweepOrSkip(machine: OwnMachine, idleMs: number): Promise<void> {
    if (this.#slow.has(machine.id)) return;
    this.#slow.add(machine.id);
    const swept = this.#sweepMachine(machine, idleMs)
      .catch((error: unknown) => {
        if (!(error instanceof MachineOffline))
          this.#options.log.warn({ err: error, machine: machine.name }, 'machine sweep failed');
      })
      .finally(() => this.#slow.delete(machine.id));
    const enough = new AbortController();
    const late = sleep(MACHINE_SWEEP_MS, undefined, { signal: enough.signal }).catch(
      () => undefined,
    );
    await Promise.race([swept, late]);
    enough.abort();
  }

  async #sweepMachine(machine: OwnMachine, idleMs: number): Promise<void> {
    const { database, log } = this.#options;
    if (idleMs > 0) {
      const idle = { host_id: machine.id, idle_ms: idleMs };
      for (const row of await database.query(stopIdleWorkspaces, idle)) {
        log.info({ workspace_id: row.id }, 'idle workspace stopped');
        this.#tell(row);
        await this.#shut(row);
      }
    }
    await this.#removeCheckpoints(machine);
    await this.#closeLeftOpen(machine);
    for (const row of await database.query(deletedWorkspaces, { host_id: machine.id })) {
      this.#open.forget(row.id);
      try {
        await machine.remove(workspaceSpecOf(row));
        await database.query(workspaceRemoved, { id: row.id });
      } catch (error) {
        if (isOffline(error)) throw error;
        log.warn({ workspace_id: row.id, err: error }, 'removing a workspace failed');
      }
    }
  }

  /** Deletes the content of checkpoints of purged chats. */
  async #removeCheckpoints(machine: OwnMachine): Promise<void> {
    const { database } = this.#options;
    const removed = await database.query(removedCheckpoints, { host_id: machine.id });
    if (removed.length === 0) return;
    const rows = await database.query(workspacesById, {
      ids: removed.map(({ workspace_id }) => workspace_id),
    });
    const before = this.clock.now() - PRUNE_MARGIN_MS;
    for (const { workspace_id, ids, kept } of removed) {
      const row = rows.find(({ id }) => id === workspace_id);
      if (row === undefined) continue;
      const workspace = await machine.open(workspaceSpecOf(row));
      await workspace.checkpoints
        .prune({ keep: kept, remove: ids, before })
        .catch((error: unknown) => {
          if (!(error instanceof CheckpointsUnavailable)) throw error;
        });
      await database.query(dropCheckpoints, { ids });
    }
  }

  /** Stops workspaces that are open without being ready: visited ones, and those that were stopped while offline. */
  async #closeLeftOpen(machine: OwnMachine): Promise<void> {
    const { database } = this.#options;
    const open = await machine.workspaces();
    if (open.length === 0) return;
    const rows = await database.query(workspacesById, { ids: open });
    // A machine must not learn about workspaces of others, whatever ids it reports.
    const left = rows.filter(({ status, host_id }) => status !== 'ready' && host_id === machine.id);
    for (const row of left.filter(({ id }) => this.#leftOpen.has(id)))
      await machine.stop(workspaceSpecOf(row));
    for (const id of open) this.#leftOpen.delete(id);
    for (const { id } of left) this.#leftOpen.add(id);
  }

  async #move(
    id: string,
    status: WorkspaceStatus,
    tx?: Transaction,
  ): Promise<WorkspaceRow | undefined> {
    const move = { id, status, sources: sourcesOf(status), error: null };
    const [row] = await (tx ?? this.#options.database).query(moveWorkspace, move);
    if (row !== undefined) afterCommit(tx, () => this.#tell(row));
    return row;
  }

  /** Ends the processes of a stopped workspace. If its machine is offline, a sweep does it later. */
  async #shut(row: WorkspaceRow): Promise<void> {
    this.#open.forget(row.id);
    try {
      const machine = await this.#options.machines.use(row.host_id);
      await machine.stop(workspaceSpecOf(row));
    } catch (error) {
      const { log } = this.#options;
      if (!isOffline(error))
        log.warn({ workspace_id: row.id, err: error }, 'stopping a workspace failed');
    }
  }

  #tell({ id, status }: WorkspaceRow): void {
    this.#options.bus?.publish(SUBJECT, { id, status });
  }
}

function notReady(row: WorkspaceRow | undefined): Refused {
  switch (row?.status) {
    case 'creating':
      return refuse(`The workspace ${row.name} is still being set up.`);
    case 'failed':
      return refuse(`The setup of the workspace ${row.name} failed: ${row.error ?? ''}`);
    case 'stopped':
      return refuse(`The workspace ${row.name} is stopped. Start it first (start_workspace).`);
    case 'ready':
      return refuse(`The workspace ${row.name} is changing state. Try again.`);
    case 'deleted':
    case undefined:
      return refuse('The workspace was deleted. Create another one first (create_workspace).');
  }
}

const refuse = (detail: string) => new Refused('workspace_not_ready', detail);

function cannotOpen(error: unknown): never {
  if (error instanceof WorkspaceOpenError) throw refuse(error.message);
  throw error instanceof MachineOffline ? new Refused('machine_offline', error.message) : error;
}

const isOffline = (error: unknown) =>
  error instanceof MachineOffline || (error instanceof Refused && error.code === 'machine_offline');

function afterCommit(tx: Transaction | undefined, act: () => void): void {
  if (tx === undefined) act();
  else tx.afterCommit(act);
}
