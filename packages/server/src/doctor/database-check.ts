import { Client } from 'pg';
import { findPlatformPackage } from '../postgres/platform-package.ts';
import { requirePreparedStatements } from '../startup/prepared-statements.ts';
import { StartError } from '../start-error.ts';
import { ownMigrations } from '../store/migrate/migrate.ts';
import { broken, type Check, type DoctorContext, type Finding, fromError, ok } from './finding.ts';
import { schemaFindings } from './schema-findings.ts';

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
      await requirePreparedStatements(databaseUrl);
      await client.connect();
      const schema = await schemaFindings(NAME, client, await ownMigrations(), config.leaseMs);
      return [...findings, ...(await server(client, examined)), ...schema];
    } catch (error) {
      if (error instanceof StartError) return [...findings, fromError(NAME, error)];
      const why = error instanceof Error ? error.message : String(error);
      return [
        ...findings,
        broken(
          NAME,
          `The database cannot be used: ${why}`,
          'Check CHATD_DATABASE_URL, and that PostgreSQL is running there.',
        ),
      ];
    } finally {
      await client.end().catch(() => undefined);
    }
  },
};

async function embedded(): Promise<Finding[]> {
  try {
    const { version } = await findPlatformPackage();
    return [ok(NAME, `PostgreSQL ${version} is included.`)];
  } catch (error) {
    return [fromError(NAME, error)];
  }
}

async function server(client: Client, { config }: DoctorContext): Promise<Finding[]> {
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
    return [
      broken(NAME, `PostgreSQL ${found.version} is too old.`, `Use PostgreSQL ${OLDEST} or newer.`),
    ];
  }
  if (found.replica) {
    return [
      broken(NAME, 'The database is a read replica.', 'Set CHATD_DATABASE_URL to the primary.'),
    ];
  }
  if (found.encoding !== 'UTF8') {
    return [
      broken(
        NAME,
        `The encoding of the database is ${found.encoding}.`,
        'Create the database with ENCODING UTF8.',
      ),
    ];
  }
  const whose = config.databaseUrl === undefined ? 'embedded' : 'external';
  return [ok(NAME, `PostgreSQL ${found.version} is reachable (${whose}).`)];
}
