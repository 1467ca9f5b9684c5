import { execute } from '@chatd/test-server/database';

interface Rewrite {
  /** The first schema with the column. */
  readonly schema: number;
  readonly statement: string;
}

/** What a server stores about the machine that it runs on. */
const REWRITES: readonly Rewrite[] = [
  { schema: 6, statement: `UPDATE workspaces SET host_name = 'a-machine'` },
  { schema: 12, statement: `UPDATE workers SET host = 'a-machine'` },
  { schema: 24, statement: `UPDATE machines SET name = 'a-machine'` },
  { schema: 24, statement: `UPDATE machine_connections SET internal_url = 'http://a-machine'` },
  { schema: 27, statement: `UPDATE audit_events SET ip = '192.0.2.1'` },
];

/** Replaces the names and addresses of this machine in a database of the schema. */
export async function anonymize(databaseUrl: string, schema: number): Promise<void> {
  for (const { statement } of REWRITES.filter((rewrite) => rewrite.schema <= schema)) {
    await execute(databaseUrl, statement);
  }
}
