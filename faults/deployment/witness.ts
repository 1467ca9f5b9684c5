import { Client } from 'pg';
import type { ChatIds, Move, Records, StoredChat, StoredMessage } from '../oracle/records.ts';

/**
 * A trigger that records every change of a chat row in the same transaction, independently of the processes under test.
 */
const WITNESS = `
CREATE SCHEMA witness;
CREATE TABLE witness.moves (
  n           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  chat_id     uuid NOT NULL,
  old_worker  uuid, worker  uuid,
  old_runner  uuid, runner  uuid,
  old_status  text, status  text NOT NULL,
  old_version bigint, version bigint NOT NULL,
  old_history bigint, history bigint NOT NULL,
  attempt     integer NOT NULL
);
CREATE INDEX ON witness.moves (chat_id, n);
CREATE FUNCTION witness.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO witness.moves (chat_id, worker, runner, status, version, history, attempt)
    VALUES (NEW.id, NEW.worker_id, NEW.runner_id, NEW.status, NEW.snapshot_version, NEW.history_version, NEW.attempt);
  ELSE
    INSERT INTO witness.moves (chat_id, old_worker, worker, old_runner, runner, old_status, status,
                               old_version, version, old_history, history, attempt)
    VALUES (NEW.id, OLD.worker_id, NEW.worker_id, OLD.runner_id, NEW.runner_id, OLD.status, NEW.status,
            OLD.snapshot_version, NEW.snapshot_version, OLD.history_version, NEW.history_version, NEW.attempt);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER witness AFTER INSERT OR UPDATE ON chats FOR EACH ROW EXECUTE FUNCTION witness.note();
`;

/** A chat whose runner was replaced without a release. */
export interface Takeover {
  readonly chat_id: string;
  readonly at: number;
  readonly from_worker: string;
  readonly to_worker: string;
}

/** A chat that was released by its runner and acquired by another. */
export interface HandOver extends Takeover {
  readonly released_at: number;
}

/** Queries the database. Each query uses a new connection, because the database may have restarted. */
export class Witness implements Records {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async install(): Promise<void> {
    await this.query(WITNESS);
  }

  async query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.#url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  chats(ids: ChatIds): Promise<StoredChat[]> {
    return this.query(
      `SELECT id, status, worker_id, parent_chat_id, last_error FROM chats
        WHERE $1::uuid[] IS NULL OR id = ANY($1)`,
      [ids ?? null],
    );
  }

  messages(ids: ChatIds): Promise<StoredMessage[]> {
    return this.query(
      `SELECT chat_id, id::int, role, hidden, content, revision::int, base_version::int, attempt, runner_id,
              extract(epoch FROM created_at)::float8 * 1000 AS at
         FROM messages
        WHERE $1::uuid[] IS NULL OR chat_id = ANY($1)
        ORDER BY id`,
      [ids ?? null],
    );
  }

  moves(ids: ChatIds): Promise<Move[]> {
    return this.query(
      `SELECT chat_id, old_runner, old_status, status, old_version::int, version::int, old_history::int, history::int
         FROM witness.moves
        WHERE $1::uuid[] IS NULL OR chat_id = ANY($1)
        ORDER BY n`,
      [ids ?? null],
    );
  }

  async workers(): Promise<string[]> {
    const rows = await this.query<{ id: string }>('SELECT id FROM workers');
    return rows.map(({ id }) => id);
  }

  /** Time of the last heartbeat of each worker. */
  async heartbeats(): Promise<number[]> {
    const rows = await this.query<{ at: number }>(
      'SELECT extract(epoch FROM heartbeat_at)::float8 * 1000 AS at FROM workers',
    );
    return rows.map(({ at }) => at);
  }

  /** The newest message of each chat at a point in time. */
  async newestAt(moment: number): Promise<Map<string, number>> {
    const rows = await this.query<{ chat_id: string; id: number }>(
      `SELECT chat_id, max(id)::int AS id FROM messages
        WHERE NOT hidden AND created_at <= to_timestamp($1::float8 / 1000) GROUP BY chat_id`,
      [moment],
    );
    return new Map(rows.map(({ chat_id, id }) => [chat_id, id]));
  }

  /** Chats that the worker owns. */
  async chatsOf(workerId: string): Promise<string[]> {
    const rows = await this.query<{ id: string }>('SELECT id FROM chats WHERE worker_id = $1', [
      workerId,
    ]);
    return rows.map(({ id }) => id);
  }

  async busyChats(): Promise<{ id: string; status: string; worker_id: string | null }[]> {
    return await this.query(
      `SELECT id, status, worker_id FROM chats WHERE status IN ('running', 'interrupting')`,
    );
  }

  /** Chats that changed owner without a release since a point in time. */
  async takeovers(since: number): Promise<Takeover[]> {
    const rows = await this.query<Takeover>(
      `SELECT chat_id, extract(epoch FROM at)::float8 * 1000 AS at, old_worker AS from_worker, worker AS to_worker
         FROM witness.moves
        WHERE at > to_timestamp($1::float8 / 1000)
          AND old_runner IS NOT NULL AND runner IS NOT NULL AND old_runner <> runner
        ORDER BY n`,
      [since],
    );
    return rows;
  }

  /** Runnable chats that were released since a point in time, and their next owners. */
  async handOvers(since: number): Promise<HandOver[]> {
    return await this.query<HandOver>(
      `SELECT released.chat_id, released.old_worker AS from_worker, taken.worker AS to_worker,
              extract(epoch FROM released.at)::float8 * 1000 AS released_at,
              extract(epoch FROM taken.at)::float8 * 1000 AS at
         FROM witness.moves released
         JOIN LATERAL (SELECT at, worker FROM witness.moves next
                        WHERE next.chat_id = released.chat_id AND next.n > released.n AND next.runner IS NOT NULL
                        ORDER BY n LIMIT 1) taken ON true
        WHERE released.at > to_timestamp($1::float8 / 1000)
          AND released.old_runner IS NOT NULL AND released.runner IS NULL
          AND released.status IN ('running', 'interrupting')
        ORDER BY released.n`,
      [since],
    );
  }
}
