import { Client } from 'pg';
import { codeOf } from './error-code.ts';
import type { Cluster } from './cluster.ts';
import { SUPERUSER } from './cluster.ts';
import { PostgresError } from './postgres-error.ts';

const DATABASE = 'chatd';

/** PostgreSQL listens on a Unix socket only. */
function connectionUrl(
  cluster: Cluster,
  socketDirectory: string,
  database: string = DATABASE,
): string {
  const host = encodeURIComponent(socketDirectory);
  return `postgresql://${SUPERUSER}:${cluster.password}@localhost/${database}?host=${host}`;
}

const WRONG_PASSWORD = '28P01';
const NO_SUCH_DATABASE = '3D000';
const MADE_MEANWHILE = new Set(['42P04', '23505']);

/**
 * Undefined: the server accepted a session, so the caller's next query can run. Otherwise the reason: the server
 * responds before it is ready, while it starts, recovers or stops.
 */
export async function refusal(
  cluster: Cluster,
  socketDirectory: string,
): Promise<string | undefined> {
  try {
    await connected(connectionUrl(cluster, socketDirectory, 'postgres'), async () => undefined);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== WRONG_PASSWORD) return String(error);
    throw new PostgresError({
      kind: 'foreign_data_directory',
      message: `PostgreSQL rejected the password in the file "password" next to ${cluster.dir}.`,
      hint: 'Restore that file from a backup of the data directory, or choose another CHATD_DATA_DIR.',
      cause: error,
    });
  }
}

export async function ensureDatabase(cluster: Cluster, socketDirectory: string): Promise<string> {
  const url = connectionUrl(cluster, socketDirectory);
  try {
    await connected(url, async () => undefined);
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) throw error;
    await connected(connectionUrl(cluster, socketDirectory, 'postgres'), createDatabase);
  }
  return url;
}

async function createDatabase(client: Client): Promise<void> {
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!MADE_MEANWHILE.has(codeOf(error) ?? '')) throw error;
  }
}

async function connected(url: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // If the connection breaks between two awaits, the next one reports it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
