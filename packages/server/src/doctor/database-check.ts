import { Client } from 'pg';
import { findPlatformPackage } from '../postgres/platform-package.ts';
import { appliedMigrations, ownMigrations, pendingMigrations } from '../store/migrate.ts';
import {
  broken,
  type Check,
  type Examined,
  type Finding,
  fromError,
  ok,
  warning,
} from './finding.ts';

const NAME = 'database';
const OLDEST = 14;

export const databaseCheck: Check = {
  name: NAME,
  async look(examined) {
    const { config, databaseUrl } = examined;
    const findings = config.databaseUrl === undefined ? await embedded() : [];
    if (databaseUrl === undefined) return findings;
    const client = new Client({ connectionString: databaseUrl, application_name: 'chatd doctor' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return [...findings, ...(await server(client, examined)), ...(await schema(client))];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [
        ...findings,
        broken(
          NAME,
          `It cannot be used: ${why}`,
          'Check CHATD_DATABASE_URL, and that PostgreSQL runs there.',
        ),
      ];
    } finally {
      await client.end().catch(() => undefined);
    }
  },
};

/** Whether there is a PostgreSQL for this machine. */
async function embedded(): Promise<Finding[]> {
  try {
    const { version } = await findPlatformPackage();
    return [ok(NAME, `PostgreSQL ${version} is brought along`)];
  } catch (error) {
    return [fromError(NAME, error)];
  }
}

async function server(client: Client, { config }: Examined): Promise<Finding[]> {
  const { rows } = await client.query<{
    number: number;
    version: string;
    encoding: string;
    replica: boolean;
  }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
            current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS replica`,
  );
  const found = rows[0];
  if (found === undefined) return [];
  if (found.number < OLDEST * 10_000) {
    return [broken(NAME, `PostgreSQL ${found.version} is too old.`, `Use ${OLDEST} or newer.`)];
  }
  if (found.replica) {
    return [broken(NAME, 'It is a read replica.', 'CHATD_DATABASE_URL must lead to the primary.')];
  }
  if (found.encoding !== 'UTF8') {
    return [
      broken(NAME, `Its encoding is ${found.encoding}.`, 'Create the database with ENCODING UTF8.'),
    ];
  }
  const whose = config.databaseUrl === undefined ? 'embedded' : 'your own';
  return [ok(NAME, `PostgreSQL ${found.version} answers (${whose})`)];
}

async function schema(client: Client): Promise<Finding[]> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS there`,
  );
  if (tables[0]?.there !== true)
    return [ok(NAME, 'It has no tables yet; the first start makes them')];
  const applied = await appliedMigrations(client);
  const own = await ownMigrations();
  try {
    const pending = pendingMigrations(own, applied);
    const isNewer = applied.some(({ version }) => version > (own.at(-1)?.version ?? 0));
    if (isNewer) return [ok(NAME, 'A newer chatd has migrated it; this version works with it')];
    if (pending.length === 0) return [ok(NAME, 'Its tables are those of this version')];
    return [
      warning(
        NAME,
        `${pending.length} migrations are to be applied.`,
        'The next start does it. Make a backup first: chatd backup.',
      ),
    ];
  } catch (error) {
    return [fromError(NAME, error)];
  }
}
