import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { Witness } from '../deployment/witness.ts';

const CONNECTIONS = 3;
const PAUSE_MS = 200;
const TIMEOUT_MS = 120_000;

/** Retries while the database is unavailable, because the soak test crashes it. */
export class RetryingWitness extends Witness {
  readonly #pool: Pool;

  constructor(url: string) {
    super(url);
    this.#pool = new Pool({ connectionString: url, max: CONNECTIONS });
    this.#pool.on('error', () => undefined);
  }

  override async query<Row extends object>(
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      try {
        return (await this.#pool.query<Row>(sql, [...values])).rows;
      } catch (error) {
        if (!isUnavailable(error) || performance.now() > deadline) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Connection errors, and errors of a server that is stopping or starting (class 57P). */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : undefined;
  return code === undefined
    ? error.message.includes('Connection terminated')
    : code.startsWith('57P') || code.startsWith('E');
}
