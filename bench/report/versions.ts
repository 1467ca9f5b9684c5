import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/** Versions of installed packages, by name. */
export function installedVersions(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const manifest = readFileSync(join(MODULES, name, 'package.json'), 'utf8');
      return [name, (JSON.parse(manifest) as { version: string }).version];
    }),
  );
}

/** For example `15.18`. */
export async function postgresVersion(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  } finally {
    await client.end();
  }
}
