import { Client, DatabaseError } from 'pg';
import { StartError } from '../start-error.ts';

/**
 * The name is fixed: behind a pooler, a server connection may still know it from an earlier start, which makes the
 * check stricter.
 */
const PROBE = { name: 'chatd_prepared_statement_probe', text: 'SELECT 1' };
const NO_SUCH_STATEMENT = '26000';
const DUPLICATE_STATEMENT = '42P05';

/**
 * Refuses a connection pooler that loses prepared statements: PgBouncer in transaction mode before 1.21, or without
 * `max_prepared_statements`. Such a pooler moves clients between server connections, so one client finds the
 * statements of another, or misses its own. Two connections that alternate show it; PostgreSQL itself and poolers in
 * session mode pass.
 */
export async function requirePreparedStatements(url: string): Promise<void> {
  const clients = [newClient(url), newClient(url)] as const;
  const [first, second] = clients;
  try {
    for (const client of clients) await client.connect();
    // Twice in a row as well: a pooler may pass its connections around in turn.
    for (const client of [first, first, second, first, second]) await client.query(PROBE);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.code !== NO_SUCH_STATEMENT && error.code !== DUPLICATE_STATEMENT) throw error;
    throw new StartError(
      'database_unsupported',
      `The connection pooler at ${new URL(url).host} does not support prepared statements: ${error.message}.`,
      'Use PgBouncer 1.21 or newer with max_prepared_statements above 0, set pool_mode = session, or connect to PostgreSQL directly.',
      error,
    );
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

function newClient(url: string): Client {
  const client = new Client({ connectionString: url, application_name: 'chatd check' });
  client.on('error', () => undefined);
  return client;
}
