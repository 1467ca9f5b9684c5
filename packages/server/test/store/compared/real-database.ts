import { WebhookEventType } from '@chatd/protocol';
import { createTestDatabase, insertUser, TestStore } from '@chatd/test-server/database';
import { Client } from 'pg';
import { afterAll } from 'vitest';
import { LEASE_MS } from '../../../../../faults/simulation/timing.ts';
import { toJson } from '../../../src/store/json.ts';
import { insertMachine } from '../../../src/store/queries/machines.ts';
import { insertTrigger } from '../../../src/store/queries/triggers/triggers.ts';
import { registerReplica } from '../../../src/store/queries/workers.ts';
import { statement } from '../../../src/store/statement.ts';
import { settledOrBlocked } from '../blocked.ts';
import { moveClock, replaceClock, restartNow, setClock } from './clock.ts';
import type { ComparedDatabase, Rows } from './compared-database.ts';
import {
  at,
  MACHINE_NAMES,
  MACHINES,
  OWNERS,
  REPLICAS,
  START,
  TRIGGERS,
  WEBHOOKS,
} from './fixture.ts';

const ROWS: Readonly<Record<keyof Rows, string>> = {
  chats: 'SELECT id, status, snapshot_version, trigger_id FROM chats ORDER BY id',
  triggers: 'SELECT id, enabled, disabled_reason, next_fire_at, failures FROM triggers ORDER BY id',
  trigger_runs: `SELECT id, trigger_id, fire_time, delivery_id, status, reason, chat_id, message, created_at, ended_at
                   FROM trigger_runs ORDER BY id`,
  trigger_chats: 'SELECT trigger_id, key, chat_id FROM trigger_chats ORDER BY trigger_id, key',
  outbox: `SELECT id, kind, target_id, subject_id, event, payload, state, created_at, due_at, expires_at, attempts
             FROM outbox ORDER BY id`,
  failing_targets:
    'SELECT target_id, failures, blocked_until FROM failing_targets ORDER BY target_id',
  machines: `SELECT id, name, reported_labels || labels AS labels, version, capabilities, last_seen_at
               FROM machines ORDER BY id`,
  machine_connections:
    'SELECT machine_id, replica_id, epoch, internal_url FROM machine_connections ORDER BY machine_id',
  workers: 'SELECT id, heartbeat_at FROM workers ORDER BY id',
};
const READS = Object.entries(ROWS).map(
  ([name, sql]) => [name, statement<null, object>(`compared-${name}`, sql)] as const,
);

const CLEAR = `DELETE FROM chats; DELETE FROM triggers; DELETE FROM outbox; DELETE FROM failing_targets;
  DELETE FROM machines; DELETE FROM workers; DELETE FROM webhooks`;

const insertWebhook = statement<{ id: string; owner_id: string; events: readonly string[] }, never>(
  'compared-insert-webhook',
  `INSERT INTO webhooks (id, owner_id, url, events, secrets) VALUES (:id, :owner_id, 'http://localhost', :events, '')`,
);

/** A PostgreSQL database. `open` resets it to the rows of the fixture. */
export class RealDatabase implements ComparedDatabase {
  readonly store: TestStore;
  /** Not part of the test's transactions. */
  readonly #client: Client;

  static async create(): Promise<RealDatabase> {
    const { url } = await createTestDatabase();
    await replaceClock(url);
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(setClock(START));
    const store = await TestStore.open(url);
    afterAll(() => client.end());
    for (const [index, id] of OWNERS.entries()) {
      await store.database.query(insertUser, { id, username: `owner-${index}` });
    }
    return new RealDatabase(store, client);
  }

  private constructor(store: TestStore, client: Client) {
    this.store = store;
    this.#client = client;
  }

  async open(): Promise<void> {
    const { database } = this.store;
    await this.#client.query(CLEAR);
    await this.#client.query(setClock(START));
    await Promise.all([
      ...WEBHOOKS.map((id, index) =>
        database.query(insertWebhook, {
          id,
          owner_id: OWNERS[index] ?? '',
          events: WebhookEventType.options,
        }),
      ),
      ...TRIGGERS.map((trigger) =>
        database.query(insertTrigger, { ...trigger, chat: toJson(trigger.chat) }),
      ),
      ...MACHINES.map((id, index) =>
        database.query(insertMachine, {
          id,
          name: MACHINE_NAMES[index] ?? '',
          labels: toJson({ set: 'by an admin' }),
          secret_hash: Buffer.from(id),
          reserved_for: null,
        }),
      ),
      ...REPLICAS.map((id) =>
        database.query(registerReplica, {
          id,
          knows: 0,
          program: '',
          host: '',
          lease_ms: LEASE_MS,
        }),
      ),
    ]);
  }

  async rows(): Promise<Rows> {
    const { database } = this.store;
    const tables = READS.map(async ([name, read]) => [name, await database.query(read)] as const);
    return Object.fromEntries(await Promise.all(tables)) as unknown as Rows;
  }

  async moveClock(to: number): Promise<void> {
    await this.#client.query(moveClock(at(to)));
  }

  async restart(): Promise<void> {
    await this.#client.query(restartNow);
  }

  settledOrBlocked(work: Promise<unknown>): Promise<'settled' | 'blocked'> {
    return settledOrBlocked(this.store, work, '');
  }
}
