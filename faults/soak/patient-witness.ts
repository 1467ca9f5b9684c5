import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { Witness } from '../deployment/witness.ts';

const CONNECTIONS = 3;
const PAUSE_MS = 200;
const PATIENCE_MS = 120_000;

/** Asks again while the database is away: somebody else may just have crashed it. */
export class PatientWitness extends Witness {
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
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return (await this.#pool.query<Row>(sql, [...values])).rows;
      } catch (error) {
        if (!isAway(error) || performance.now() > deadline) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Errors of the connection, or of a server that is going down or coming up (class 57). */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : undefined;
  return code === undefined
    ? error.message.includes('Connection terminated')
    : code.startsWith('57P') || code.startsWith('E');
}
