import { insertUser, TestStore } from '@chatd/test-server/database';
import { SimulatedDatabase as Connections } from '../../../../../faults/simulation/connection.ts';
import { Postgres, type Table } from '../../../../../faults/simulation/postgres.ts';
import { on, type Handler } from '../../../../../faults/simulation/statements/statement.ts';
import { STATEMENTS } from '../../../../../faults/simulation/statements/statements.ts';
import { World } from '../../../../../faults/simulation/world.ts';
import type { ComparedDatabase, Rows } from './compared-database.ts';
import { MACHINE_NAMES, MACHINES, OWNERS, REPLICAS, START, TRIGGERS, WEBHOOKS } from './fixture.ts';

/** No latency, so that only the test moves the clock. */
const NETWORK = { latencyMs: () => 0, loss: () => undefined };
/** More events than any operation causes. */
const MAX_EVENTS = 10_000;

/** The database of the simulation, with the rows of the fixture. `defects` replace statements. */
export class SimulatedDatabase implements ComparedDatabase {
  readonly store: TestStore;
  readonly #world: World;
  readonly #postgres: Postgres;

  /** Calls `work` in a new world. */
  static async use<T>(
    defects: readonly Handler[],
    work: (database: SimulatedDatabase) => Promise<T>,
  ): Promise<T> {
    const world = new World(1);
    const uninstall = world.install();
    const postgres = new Postgres(world, [...STATEMENTS, on(insertUser, () => []), ...defects]);
    fill(postgres);
    const working = (async () => {
      const database = new Connections(world, postgres, NETWORK).asDatabase();
      const store = await TestStore.open('', () => undefined, database);
      return await work(new SimulatedDatabase(world, postgres, store));
    })();
    try {
      await world.runUntil(Infinity, working);
    } finally {
      uninstall();
    }
    return await working;
  }

  private constructor(world: World, postgres: Postgres, store: TestStore) {
    this.#world = world;
    this.#postgres = postgres;
    this.store = store;
  }

  async rows(): Promise<Rows> {
    const postgres = this.#postgres;
    return {
      chats: inOrder(
        postgres.committed,
        ({ row: { id, status, snapshot_version, trigger_id } }) => ({
          id,
          status,
          snapshot_version,
          trigger_id,
        }),
      ),
      triggers: rowsOf(
        postgres.triggers,
        ({ id, enabled, disabled_reason, next_fire_at, failures }) => ({
          id,
          enabled,
          disabled_reason,
          next_fire_at,
          failures,
        }),
      ),
      trigger_runs: rowsOf(postgres.triggerRuns),
      trigger_chats: rowsOf(postgres.triggerChats, ({ chat_id }, id) => {
        const [trigger_id, key] = id.split(' ');
        return { trigger_id, key, chat_id };
      }),
      outbox: rowsOf(postgres.outbox).sort((one, other) => one.id - other.id),
      failing_targets: rowsOf(postgres.failingTargets, (row, target_id) => ({ target_id, ...row })),
      machines: rowsOf(
        postgres.machines,
        ({ id, name, labels, version, capabilities, last_seen_at }) => ({
          id,
          name,
          labels,
          version,
          capabilities,
          last_seen_at,
        }),
      ),
      machine_connections: rowsOf(postgres.machineConnections),
      workers: inOrder(postgres.workers, (beatAt, id) => ({ id, heartbeat_at: new Date(beatAt) })),
    };
  }

  async moveClock(to: number): Promise<void> {
    await this.#world.sleep(to - this.#world.now);
  }

  async restart(): Promise<void> {
    await this.#postgres.restart(0);
  }

  async settledOrBlocked(work: Promise<unknown>): Promise<'settled' | 'blocked'> {
    const state = { isSettled: false };
    const settle = () => {
      state.isSettled = true;
    };
    work.then(settle, settle);
    for (let events = 0; events < MAX_EVENTS; events += 1) {
      if (state.isSettled) return 'settled';
      if (this.#postgres.isWaitedFor) return 'blocked';
      await this.#world.sleep(0);
    }
    throw new Error('The operation neither ends nor waits for a lock.');
  }
}

function fill(postgres: Postgres): void {
  for (const [index, id] of WEBHOOKS.entries()) postgres.webhooks.set(OWNERS[index] ?? '', id);
  for (const trigger of TRIGGERS) postgres.triggers.committed.set(trigger.id, trigger);
  for (const id of REPLICAS) postgres.workers.set(id, START.getTime());
  for (const [index, id] of MACHINES.entries()) {
    const labels = { set: 'by an admin' };
    postgres.machines.committed.set(id, {
      id,
      name: MACHINE_NAMES[index] ?? '',
      kind: 'remote',
      labels,
      admin_labels: labels,
      draining: false,
      reserved_for: null,
      version: null,
      capabilities: {},
      created_at: START,
      last_seen_at: null,
      online: false,
      workspaces: 0,
    });
  }
}

const inOrder = <Row, Shown>(
  rows: ReadonlyMap<string, Row>,
  show: (row: Row, key: string) => Shown,
): Shown[] =>
  [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, row]) => show(row, key));

const rowsOf = <Row, Shown = Row>(
  { committed }: Table<Row>,
  show: (row: Row, key: string) => Shown = (row) => row as unknown as Shown,
): Shown[] => inOrder(committed, show);
