import { hostname } from 'node:os';
import { type Clock, systemClock } from '@chatd/loop';
import type { WorkspaceStatus } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus, Subscription } from '../bus/bus.ts';
import { Refused } from '../chat/refused.ts';
import { withinQuota } from '../limits/quota.ts';
import type { Database } from '../store/database.ts';
import { toJson } from '../store/json.ts';
import {
  claimWorkspace,
  deletedWorkspaces,
  findWorkspace,
  findWorkspaceByCall,
  insertWorkspace,
  moveWorkspace,
  statusesOfWorkspaces,
  stopIdleWorkspaces,
  touchWorkspaces,
  workspaceRemoved,
} from '../store/queries/workspaces.ts';
import type { Queryable } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';
import { uuidv7 } from '../store/uuid.ts';
import { sourcesOf, type WorkspaceRow } from '../store/workspaces.ts';
import { WorkspaceOpenError } from '../machine/drivers/driver.ts';
import { hostIdIn } from './host-id.ts';
import { WorkspaceSetups } from './setup/workspace-setups.ts';
import type { OpenWorkspace } from './open-workspace.ts';
import { type Drivers, OpenWorkspaces, type Prepare } from './open-workspaces.ts';
import { workspaceSpecOf } from './workspace-spec.ts';
import type { KnownTemplate, Templates } from './templates.ts';

export interface WorkspacesOptions {
  readonly database: Database;
  readonly drivers: Drivers;
  readonly templates: Templates;
  /** Holds the workspaces of this host, and the host id. */
  readonly directory: string;
  readonly log: Logger;
  readonly bus?: Bus;
  readonly clock?: Clock;
  /** Idle time after which a workspace is stopped. 0: never. */
  readonly idleMs?: number;
  readonly sweepMs?: number;
  readonly prepare?: Prepare;
  /** Maximum number of workspaces per user. Null: no limit. */
  readonly maxPerUser?: () => Promise<number | null>;
}

export interface NewWorkspace {
  readonly ownerId: string;
  readonly template: KnownTemplate;
  readonly name?: string | undefined;
  /** Idempotency key: the tool call that requests the workspace. */
  readonly call?: string;
}

const SUBJECT = 'workspaces';
const IDLE_MS = 60 * 60_000;
const SWEEP_MS = 20_000;
/** The revision of a stopped workspace, whose files do not change. Differs from every revision of an open one. */
const STOPPED = -1;

/** Creates, opens, stops and removes workspaces. */
export class Workspaces {
  readonly templates: Templates;
  readonly clock: Clock;
  readonly #options: WorkspacesOptions;
  readonly #open: OpenWorkspaces;
  readonly #setups: WorkspaceSetups;
  #hostId: Promise<string> | undefined;
  #subscription: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    this.templates = options.templates;
    this.clock = options.clock ?? systemClock;
    this.#open = new OpenWorkspaces(options.drivers, () => this.clock.now(), options.prepare);
    this.#setups = new WorkspaceSetups({
      database: options.database,
      drivers: options.drivers,
      clock: this.clock,
      log: options.log,
      onEnd: (row) => this.#tell(row),
    });
  }

  async start(): Promise<void> {
    const { bus, sweepMs = SWEEP_MS } = this.#options;
    this.#subscription = await bus?.subscribe(SUBJECT, (payload) => {
      const { id, status } = payload as unknown as { id: string; status: WorkspaceStatus };
      if (status !== 'ready') void this.#shut(id);
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
    const { ownerId, template, call = null } = wanted;
    const [row] = await tx.query(insertWorkspace, {
      id: uuidv7(),
      owner_id: ownerId,
      name: wanted.name ?? template.name,
      template_id: template.id,
      template_name: template.name,
      definition: toJson(template.definition),
      host_id: await this.hostId(),
      host_name: hostname(),
      made_by_call: call,
    });
    if (row === undefined) {
      const [earlier] = await tx.query(findWorkspaceByCall, { made_by_call: call });
      if (earlier === undefined) throw new Error('the inserted workspace was not found');
      return earlier;
    }
    tx.afterCommit(() => void this.#setups.begin(row));
    return row;
  }

  /** Waits for the setup to end and passes on its output. Undefined: the workspace no longer exists. */
  async awaitSetup(
    id: string,
    options: { signal: AbortSignal; onOutput: (bytes: Uint8Array) => void },
  ): Promise<WorkspaceRow | undefined> {
    const row = await this.find(id);
    if (row === undefined) return undefined;
    const here = row.host_id === (await this.hostId());
    return await this.#setups.join(id, { here, ...options });
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
    await this.#requireLocal(row);
    const [claimed] = await (tx ?? this.#options.database).query(claimWorkspace, { id: row.id });
    if (claimed === undefined) return row;
    afterCommit(tx, () => void this.#setups.begin(claimed));
    return claimed;
  }

  async stop(row: WorkspaceRow, tx?: Transaction): Promise<WorkspaceRow> {
    if (row.status === 'stopped') return row;
    const stopped = await this.#move(row.id, 'stopped', tx);
    if (stopped === undefined) throw notReady(row);
    if (tx === undefined) await this.#shut(row.id);
    else tx.afterCommit(() => void this.#shut(row.id));
    return stopped;
  }

  /** Its host deletes the files: at once if that is this one, otherwise with its next sweep. */
  async delete(row: WorkspaceRow): Promise<void> {
    await this.#move(row.id, 'deleted');
    this.#setups.find(row.id)?.stop();
    await this.sweep();
  }

  /** Opens the workspace if necessary. Throws a `Refused` that says what to do if it cannot be used. */
  async use(id: string): Promise<OpenWorkspace> {
    const open = this.#open.find(id);
    if (open !== undefined) return await open;
    const row = await this.find(id);
    if (row?.status !== 'ready') throw notReady(row);
    await this.#requireLocal(row);
    return await this.#open.open(row).catch(cannotOpen);
  }

  /** Marks an open workspace as in use. */
  used(id: string): void {
    this.#open.used(id);
  }

  /** Undefined: the workspace is not open in this process. */
  peek(id: string): Promise<OpenWorkspace> | undefined {
    return this.#open.peek(id);
  }

  /** Reads from a workspace. A stopped one is opened for the duration of the call. */
  async visit<T>(
    row: WorkspaceRow,
    look: (workspace: Pick<OpenWorkspace, 'sandbox' | 'revision'>) => Promise<T>,
  ): Promise<T> {
    if (row.status === 'ready') return await look(await this.use(row.id));
    if (row.status !== 'stopped') throw notReady(row);
    await this.#requireLocal(row);
    const driver = this.#options.drivers[row.definition.driver];
    const sandbox = await driver.open(workspaceSpecOf(row)).catch(cannotOpen);
    try {
      return await look({ sandbox, revision: () => STOPPED });
    } finally {
      await sandbox.close();
      await driver.stop(workspaceSpecOf(row));
    }
  }

  /** Stops idle workspaces, and closes those that another replica stopped or deleted. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() =>
      this.#sweep().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'workspace sweep failed'),
      ),
    );
    return this.#sweeping;
  }

  hostId(): Promise<string> {
    this.#hostId ??= hostIdIn(this.#options.directory).catch((error: unknown) => {
      this.#hostId = undefined;
      throw error;
    });
    return this.#hostId;
  }

  /** Ends all processes in workspaces. The status of the workspaces does not change. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#subscription?.close();
    await this.#setups.close();
    await this.#sweeping;
    clearTimeout(this.#timer);
    await this.#open.closeAll();
  }

  async #sweep(): Promise<void> {
    const { database, idleMs = IDLE_MS } = this.#options;
    const used = this.#open.takeUsed();
    if (used.length > 0) await database.query(touchWorkspaces, { ids: used });
    const hostId = await this.hostId();
    if (idleMs > 0) {
      for (const { id } of await database.query(stopIdleWorkspaces, {
        host_id: hostId,
        idle_ms: idleMs,
      })) {
        this.#options.log.info({ workspace_id: id }, 'idle workspace stopped');
        await this.#shut(id);
      }
    }
    const open = this.#open.ids;
    if (open.length > 0) {
      const rows = await database.query(statusesOfWorkspaces, { ids: open });
      const ready = new Set(rows.flatMap(({ id, status }) => (status === 'ready' ? [id] : [])));
      for (const id of open) if (!ready.has(id)) await this.#shut(id);
    }
    for (const row of await database.query(deletedWorkspaces, { host_id: hostId }))
      await this.#remove(row);
  }

  async #remove(row: WorkspaceRow): Promise<void> {
    const { database, drivers } = this.#options;
    await this.#setups.find(row.id)?.ended;
    await this.#open.close(row.id);
    await drivers[row.definition.driver].remove(workspaceSpecOf(row));
    await database.query(workspaceRemoved, { id: row.id });
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

  async #shut(id: string): Promise<void> {
    const wasOpen = this.#open.ids.includes(id);
    await this.#open.close(id);
    if (!wasOpen) return;
    const row = await this.find(id);
    if (row !== undefined)
      await this.#options.drivers[row.definition.driver].stop(workspaceSpecOf(row));
  }

  #tell({ id, status }: WorkspaceRow): void {
    this.#options.bus?.publish(SUBJECT, { id, status });
  }

  async #requireLocal(row: WorkspaceRow): Promise<void> {
    if (row.host_id === (await this.hostId())) return;
    throw new Refused(
      'machine_offline',
      `The workspace ${row.name} is on the machine ${row.host_name}, which is not connected.`,
    );
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
  throw error instanceof WorkspaceOpenError ? refuse(error.message) : error;
}

function afterCommit(tx: Transaction | undefined, act: () => void): void {
  if (tx === undefined) act();
  else tx.afterCommit(act);
}
