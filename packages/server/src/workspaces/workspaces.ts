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
import { WorkspaceOpenError } from './driver.ts';
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
  /** Holds the workspaces of this machine, and its id. */
  readonly directory: string;
  readonly log: Logger;
  readonly bus?: Bus;
  readonly clock?: Clock;
  /** Not used for so long, a workspace is stopped; 0: never. */
  readonly idleMs?: number;
  readonly sweepMs?: number;
  readonly prepare?: Prepare;
  /** Workspaces that one user can have; null: no limit. */
  readonly maxPerUser?: () => Promise<number | null>;
}

export interface NewWorkspace {
  readonly ownerId: string;
  readonly template: KnownTemplate;
  readonly name?: string | undefined;
  /** Names the tool call that asks for it: asked again, it gets the same one. */
  readonly call?: string;
}

const SUBJECT = 'workspaces';
const IDLE_MS = 60 * 60_000;
const SWEEP_MS = 20_000;
/** The revision of what does not change, and was another one before. */
const STOPPED = -1;

/** Everything that becomes of workspaces: made, used, stopped, removed. */
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

  /** In the caller's transaction, if there is one; its set-up begins when that is committed. */
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
      if (earlier === undefined) throw new Error('a workspace was not made, and there is none');
      return earlier;
    }
    tx.afterCommit(() => void this.#setups.begin(row));
    return row;
  }

  /** Waits for its set-up, and shows it. Returns undefined when there is no such workspace any more. */
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

  /** What its set-up has written so far. */
  logOf(row: WorkspaceRow): string {
    return this.#setups.find(row.id)?.log ?? row.log;
  }

  /** One that was stopped is ready again; one that failed is made again. */
  async restart(row: WorkspaceRow, tx?: Transaction): Promise<WorkspaceRow> {
    if (row.status === 'ready') return row;
    if (row.status === 'stopped') return (await this.#move(row.id, 'ready', tx)) ?? row;
    await this.#demandHere(row);
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

  /** Gone for whoever asks; its files go at once where they are here, else with the next look of their machine. */
  async delete(row: WorkspaceRow): Promise<void> {
    await this.#move(row.id, 'deleted');
    this.#setups.find(row.id)?.stop();
    await this.sweep();
  }

  /** Opens it if need be. Throws, in words that say what to do, when it cannot be used. */
  async use(id: string): Promise<OpenWorkspace> {
    const open = this.#open.find(id);
    if (open !== undefined) return await open;
    const row = await this.find(id);
    if (row?.status !== 'ready') throw notReady(row);
    await this.#demandHere(row);
    return await this.#open.open(row).catch(cannotOpen);
  }

  /** Somebody works in it, other than by `use`. */
  used(id: string): void {
    this.#open.used(id);
  }

  /** Undefined: nobody uses it here now. */
  peek(id: string): Promise<OpenWorkspace> | undefined {
    return this.#open.peek(id);
  }

  /** For a look at its files, also while it is stopped: then it is opened for just that. */
  async visit<T>(
    row: WorkspaceRow,
    look: (workspace: Pick<OpenWorkspace, 'sandbox' | 'revision'>) => Promise<T>,
  ): Promise<T> {
    if (row.status === 'ready') return await look(await this.use(row.id));
    if (row.status !== 'stopped') throw notReady(row);
    await this.#demandHere(row);
    const driver = this.#options.drivers[row.definition.driver];
    const sandbox = await driver.open(workspaceSpecOf(row)).catch(cannotOpen);
    try {
      return await look({ sandbox, revision: () => STOPPED });
    } finally {
      await sandbox.close();
      await driver.stop(workspaceSpecOf(row));
    }
  }

  /** One look at all: what is idle is stopped, what was stopped or deleted elsewhere ends here. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() =>
      this.#sweep().catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'workspaces could not be looked after'),
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

  /** What runs in workspaces ends; they are as they were when the server comes back. */
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
        this.#options.log.info({ workspace_id: id }, 'a workspace was idle and is stopped');
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

  /** Ends what runs in it here. */
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

  async #demandHere(row: WorkspaceRow): Promise<void> {
    if (row.host_id === (await this.hostId())) return;
    throw new Refused(
      'workspace_elsewhere',
      `The workspace ${row.name} is on the machine ${row.host_name}, and this is ${hostname()}: only chatd on that machine can use it. Make another one here, or run one replica.`,
    );
  }
}

function notReady(row: WorkspaceRow | undefined): Refused {
  switch (row?.status) {
    case 'creating':
      return refuse(`The workspace ${row.name} is still being made: its set-up runs.`);
    case 'failed':
      return refuse(`The set-up of the workspace ${row.name} failed: ${row.error ?? ''}`);
    case 'stopped':
      return refuse(`The workspace ${row.name} is stopped: start it first (start_workspace).`);
    case 'ready':
      return refuse(`The workspace ${row.name} changed just now: try again.`);
    case 'deleted':
    case undefined:
      return refuse('The workspace was deleted: create another one first (create_workspace).');
  }
}

const refuse = (detail: string) => new Refused('workspace_not_ready', detail);

/** What a driver says of a place that does not open is for whoever wanted to use it. */
function cannotOpen(error: unknown): never {
  throw error instanceof WorkspaceOpenError ? refuse(error.message) : error;
}

/** Nobody may act on what is not durable. */
function afterCommit(tx: Transaction | undefined, act: () => void): void {
  if (tx === undefined) act();
  else tx.afterCommit(act);
}
