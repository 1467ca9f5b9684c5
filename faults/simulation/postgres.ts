import type { ApprovalRule, Settings } from '@chatd/protocol';
import type {
  ChatRow,
  MessageRow,
  OpenCall,
  QueuedRow,
} from '../../packages/server/src/chat/row.ts';
import type { MachineRow } from '../../packages/server/src/store/machines.ts';
import type { ModelCallParams } from '../../packages/server/src/store/queries/model-calls.ts';
import type {
  ClaimedDelivery,
  DeliveryState,
} from '../../packages/server/src/store/queries/outbox/deliveries.ts';
import type { TriggerRunRow } from '../../packages/server/src/store/queries/triggers/runs.ts';
import type { TriggerRow } from '../../packages/server/src/store/queries/triggers/triggers.ts';
import { DatabaseUnavailable } from '../../packages/server/src/store/unavailable.ts';
import type { MachineRelease } from '../oracle/connections.ts';
import type { Move, Records, StoredChat, StoredMessage } from '../oracle/records.ts';
import type { Handler } from './statements/statement.ts';
import type { World } from './world.ts';

export interface MessageData extends MessageRow {
  readonly base_version: number | null;
  readonly attempt: number | null;
  readonly runner_id: string | null;
}

/** One of the ways in which a chat goes on after a message. */
export interface VersionData {
  readonly id: number;
  readonly after_id: number;
  readonly after_revision: number;
  readonly is_current: boolean;
  readonly created_at: Date;
  readonly open_calls: readonly OpenCall[];
  readonly interrupted: boolean;
  /** Empty for the current version, whose messages are the history. */
  readonly messages: readonly MessageData[];
}

/** A chat with the rows of other tables that are written only under the lock of the chat. Values are replaced, not changed. */
export interface ChatData {
  row: ChatRow & { readonly pinned_worker_id: string | null };
  messages: readonly MessageData[];
  queue: readonly QueuedRow[];
  versions: readonly VersionData[];
}

export interface RunData extends TriggerRunRow {
  /** Of a queued run. */
  readonly message: string | null;
}

export interface OutboxRow extends ClaimedDelivery {
  readonly subject_id: string;
  readonly state: DeliveryState;
  readonly due_at: Date;
  readonly expires_at: Date;
}

interface HeldConnection {
  readonly machine_id: string;
  readonly replica_id: string | null;
  readonly internal_url: string;
  readonly epoch: number;
}

interface FailingTarget {
  readonly failures: number;
  readonly blocked_until: Date;
}

/** A table whose rows have locks of their own. */
export class Table<Row> {
  readonly name: string;
  readonly committed = new Map<string, Row>();

  constructor(name: string) {
    this.name = name;
  }
}

interface Lock {
  holder: Session;
  readonly waiting: {
    readonly session: Session;
    readonly granted: () => void;
    readonly failed: (error: Error) => void;
  }[];
}

/**
 * PostgreSQL as the store sees it, at the isolation level that it uses (READ COMMITTED): a statement sees what was
 * committed when it began, and the writes of its own transaction. A write waits for the lock of its chat and then sees
 * the newest row. What was committed survives a restart.
 */
export class Postgres implements Records {
  readonly world: World;
  readonly settings: Partial<Settings>;
  readonly committed = new Map<string, ChatData>();
  /** The time of the last heartbeat. */
  readonly workers = new Map<string, number>();
  readonly approvals = new Map<string, readonly ApprovalRule[]>();
  readonly resting = new Map<string, string>();
  readonly triggers = new Table<TriggerRow>('triggers');
  readonly triggerRuns = new Table<RunData>('trigger_runs');
  readonly triggerChats = new Table<{ readonly chat_id: string }>('trigger_chats');
  /** One for all events of an owner, by the owner. */
  readonly webhooks = new Map<string, string>();
  readonly outbox = new Table<OutboxRow>('outbox');
  readonly machines = new Table<MachineRow>('machines');
  readonly machineConnections = new Table<HeldConnection>('machine_connections');
  readonly releases: MachineRelease[] = [];
  readonly failingTargets = new Table<FailingTarget>('failing_targets');
  readonly modelCalls: (ModelCallParams & { readonly chat_id: string })[] = [];
  readonly #locks = new Map<string, Lock>();
  readonly #sessions = new Set<Session>();
  readonly #moves: Move[] = [];
  readonly #statements: ReadonlyMap<string, Handler>;
  #startedAt: number;
  #isUp = true;
  #lastId = 0;

  constructor(world: World, statements: readonly Handler[], settings: Partial<Settings> = {}) {
    this.world = world;
    this.settings = settings;
    this.#statements = new Map(statements.map((one) => [one.name, one]));
    this.#startedAt = world.time;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  /** A statement waits for a lock. */
  get isWaitedFor(): boolean {
    return [...this.#sessions].some(({ waitsFor }) => waitsFor !== undefined);
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  statement(name: string): Handler {
    const found = this.#statements.get(name);
    if (found === undefined) throw new Error(`The simulation does not know the statement ${name}.`);
    return found;
  }

  begin(): Session {
    if (!this.#isUp) throw unavailable('08006');
    const session = new Session(this);
    this.#sessions.add(session);
    return session;
  }

  /** Ends all transactions, and refuses connections until it has started again. */
  async restart(downMs: number): Promise<void> {
    this.#isUp = false;
    for (const session of this.#sessions) session.terminate(unavailable('57P01'));
    await this.world.sleep(downMs);
    this.#isUp = true;
    this.#startedAt = this.world.time;
  }

  install(session: Session, written: ReadonlyMap<string, ChatData>, moves: readonly Move[]): void {
    for (const [id, chat] of written) this.committed.set(id, chat);
    this.#moves.push(...moves);
    this.end(session);
  }

  end(session: Session): void {
    this.#sessions.delete(session);
    this.unlock(session);
  }

  /** Releases all locks of a transaction. */
  unlock({ locked }: Session): void {
    for (const key of locked) this.#release(key);
    locked.clear();
  }

  /** Resolves when the session has the lock. Rejects if it would wait forever. */
  async lock(key: string, session: Session): Promise<void> {
    session.throwIfFailed();
    const lock = this.#locks.get(key);
    if (lock === undefined) {
      this.#locks.set(key, { holder: session, waiting: [] });
      session.locked.add(key);
      return;
    }
    if (lock.holder === session) return;
    if (this.#waitsFor(lock.holder, session)) throw unavailable('40P01');
    await new Promise<void>((granted, failed) => {
      session.waitsFor = lock;
      session.onTermination = failed;
      lock.waiting.push({ session, granted, failed });
    });
  }

  isLockedByOther(key: string, session: Session): boolean {
    const lock = this.#locks.get(key);
    return lock !== undefined && lock.holder !== session;
  }

  #waitsFor(one: Session, other: Session): boolean {
    const next = one.waitsFor?.holder;
    return next !== undefined && (next === other || this.#waitsFor(next, other));
  }

  #release(key: string): void {
    const lock = this.#locks.get(key);
    if (lock === undefined) return;
    for (;;) {
      const next = lock.waiting.shift();
      if (next === undefined) {
        this.#locks.delete(key);
        return;
      }
      next.session.waitsFor = undefined;
      if (next.session.hasFailed) continue;
      lock.holder = next.session;
      next.session.locked.add(key);
      next.granted();
      return;
    }
  }

  async chats(ids?: readonly string[]): Promise<StoredChat[]> {
    return this.#of(ids).map(({ row }) => row);
  }

  async messages(ids?: readonly string[]): Promise<StoredMessage[]> {
    return this.#of(ids)
      .flatMap(({ messages }) => messages)
      .map((message) => ({ ...message, at: message.created_at.getTime() }))
      .sort((one, other) => one.id - other.id);
  }

  async moves(ids?: readonly string[]): Promise<Move[]> {
    return this.#moves.filter(({ chat_id }) => ids?.includes(chat_id) !== false);
  }

  #of(ids?: readonly string[]): ChatData[] {
    return [...this.committed.values()].filter(({ row }) => ids?.includes(row.id) !== false);
  }
}

export interface StatusChange {
  readonly old: ChatRow;
  readonly row: ChatRow;
}

/** A transaction. */
export class Session {
  readonly postgres: Postgres;
  /** `now()` of the transaction. */
  readonly startedAt: Date;
  readonly locked = new Set<string>();
  waitsFor: Lock | undefined;
  onTermination: (error: Error) => void = () => undefined;
  readonly #written = new Map<string, ChatData>();
  readonly #rows = new Map<Table<unknown>, Map<string, unknown>>();
  readonly #moves: Move[] = [];
  #statusChanges: StatusChange[] = [];
  readonly #afterCommit: (() => void)[] = [];
  #failure: Error | undefined;
  #termination: Error | undefined;
  #hasEnded = false;

  constructor(postgres: Postgres) {
    this.postgres = postgres;
    this.startedAt = new Date(postgres.world.time);
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** `clock_timestamp()`, in milliseconds. */
  get clock(): number {
    return this.postgres.world.time;
  }

  chat(id: string): ChatData | undefined {
    return this.#written.get(id) ?? this.postgres.committed.get(id);
  }

  chats(): ChatData[] {
    const { committed } = this.postgres;
    if (this.#written.size === 0) return [...committed.values()];
    return [...new Map([...committed, ...this.#written]).values()];
  }

  /** Waits for the lock of a chat, and returns its newest state to write to. Undefined: the chat does not exist. */
  async lock(id: string): Promise<ChatData | undefined> {
    if (this.chat(id) === undefined) return undefined;
    await this.postgres.lock(id, this);
    this.throwIfFailed();
    return this.#own(id);
  }

  /** Undefined: it does not exist, or another transaction has the lock. */
  tryLock(id: string): ChatData | undefined {
    this.throwIfFailed();
    if (this.chat(id) === undefined || this.postgres.isLockedByOther(id, this)) return undefined;
    // Free or our own, so the lock is granted at once.
    void this.postgres.lock(id, this);
    return this.#own(id);
  }

  /** Changes the row of a locked chat. */
  update(chat: ChatData, change: Partial<ChatData['row']>): void {
    const old = chat.row;
    chat.row = { ...old, ...change };
    checkConstraints(chat.row);
    this.#moves.push(moveOf(old, chat.row));
    if (old.status !== chat.row.status) this.#statusChanges.push({ old, row: chat.row });
  }

  /** What the triggers of the table `chats` react to, since the last call. */
  takeStatusChanges(): readonly StatusChange[] {
    const changes = this.#statusChanges;
    if (changes.length > 0) this.#statusChanges = [];
    return changes;
  }

  insert(chat: ChatData): void {
    checkConstraints(chat.row);
    this.#written.set(chat.row.id, chat);
    void this.postgres.lock(chat.row.id, this);
    this.#moves.push(moveOf(undefined, chat.row));
  }

  row<Row>(table: Table<Row>, key: string): Row | undefined {
    const own = this.#rows.get(table);
    return own?.has(key) === true ? (own.get(key) as Row | undefined) : table.committed.get(key);
  }

  rows<Row>(table: Table<Row>): Row[] {
    const own = this.#rows.get(table);
    if (own === undefined) return [...table.committed.values()];
    const rows = new Map<string, unknown>([...table.committed, ...own]);
    return [...rows.values()].filter((row) => row !== undefined) as Row[];
  }

  /** Waits for the lock of a row. An UPDATE waits only for rows that meet its condition, and checks the newest again. */
  async lockRow<Row>(
    table: Table<Row>,
    key: string,
    applies: (row: Row) => boolean = () => true,
  ): Promise<Row | undefined> {
    const seen = this.row(table, key);
    if (seen === undefined || !applies(seen)) return undefined;
    await this.lockKey(`${table.name} ${key}`);
    const row = this.row(table, key);
    return row !== undefined && applies(row) ? row : undefined;
  }

  /** Undefined: another transaction has the lock. */
  tryLockRow<Row>(table: Table<Row>, key: string): Row | undefined {
    return this.tryLockKey(`${table.name} ${key}`) ? this.row(table, key) : undefined;
  }

  /** The caller has the lock, or the row is new. Undefined deletes it. */
  write<Row>(table: Table<Row>, key: string, row: Row | undefined): void {
    const own = this.#rows.get(table) ?? new Map<string, unknown>();
    this.#rows.set(table, own.set(key, row));
    void this.postgres.lock(`${table.name} ${key}`, this);
  }

  /** An advisory lock, or that of an entry of a unique index, until the end of the transaction. */
  async lockKey(key: string): Promise<void> {
    await this.postgres.lock(key, this);
    this.throwIfFailed();
  }

  tryLockKey(key: string): boolean {
    this.throwIfFailed();
    if (this.postgres.isLockedByOther(key, this)) return false;
    // Free or our own, so the lock is granted at once.
    void this.postgres.lock(key, this);
    return true;
  }

  /** For tables without a lock of their own. */
  afterCommit(write: () => void): void {
    this.#afterCommit.push(write);
  }

  /** False: it was rolled back instead. */
  commit(): boolean {
    if (this.#termination !== undefined) throw this.#termination;
    if (this.#hasEnded) return false;
    if (this.#failure !== undefined) {
      this.rollback();
      return false;
    }
    this.#hasEnded = true;
    for (const [table, rows] of this.#rows) {
      for (const [key, row] of rows) {
        if (row === undefined) table.committed.delete(key);
        else table.committed.set(key, row);
      }
    }
    this.postgres.install(this, this.#written, this.#moves);
    for (const write of this.#afterCommit) write();
    return true;
  }

  rollback(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure ??= unavailable('25P01');
    this.postgres.end(this);
  }

  /** A statement failed. The transaction has no locks anymore, later statements fail, too, and COMMIT rolls back. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.postgres.unlock(this);
  }

  /** The connection of the transaction ends. */
  terminate(error: Error): void {
    this.#termination = error;
    this.fail(error);
    this.rollback();
    this.onTermination(error);
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #own(id: string): ChatData | undefined {
    const written = this.#written.get(id);
    if (written !== undefined) return written;
    const committed = this.postgres.committed.get(id);
    if (committed === undefined) return undefined;
    const copy = { ...committed };
    this.#written.set(id, copy);
    return copy;
  }
}

export const unavailable = (code: string): DatabaseUnavailable =>
  new DatabaseUnavailable('The database is not available', { code });

const moveOf = (old: ChatRow | undefined, row: ChatRow): Move => ({
  chat_id: row.id,
  old_runner: old?.runner_id ?? null,
  old_status: old?.status ?? null,
  status: row.status,
  old_version: old?.snapshot_version ?? null,
  version: row.snapshot_version,
  old_history: old?.history_version ?? null,
  history: row.history_version,
});

const isIdle = ({ status }: ChatRow) => status === 'waiting' || status === 'error';
const isBusy = ({ status }: ChatRow) => status === 'running' || status === 'interrupting';

/** Of the table `chats`. */
const CONSTRAINTS: Readonly<Record<string, (row: ChatRow) => boolean>> = {
  archived_is_idle: (row) => !row.archived || isIdle(row),
  deleted_is_idle: (row) => row.deleted_at === null || isIdle(row),
  waiting_has_no_queue: (row) => row.status !== 'waiting' || row.queue_length === 0,
  waiting_has_no_open_calls: (row) => row.status !== 'waiting' || row.open_calls.length === 0,
  action_has_open_calls: (row) => row.status !== 'requires_action' || row.open_calls.length > 0,
  runner_is_busy: (row) => row.runner_id === null || isBusy(row),
  runner_has_a_worker: (row) => (row.runner_id === null) === (row.worker_id === null),
};

function checkConstraints(row: ChatRow): void {
  for (const name in CONSTRAINTS) {
    if (CONSTRAINTS[name]?.(row) === false) {
      throw new Error(`The row of chat ${row.id} violates ${name}.`);
    }
  }
}
