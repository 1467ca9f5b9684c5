import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Finding, examine } from '../../src/doctor/index.ts';
import { StartError } from '../../src/start-error.ts';
import { startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { findPgBouncer, startPgBouncer } from '@chatd/test-server/programs';

const program = findPgBouncer();
const [, version = '0.0'] =
  /PgBouncer (\d+\.\d+)/.exec(
    program === undefined ? '' : execFileSync(program, ['--version'], { encoding: 'utf8' }),
  ) ?? [];
const [major = 0, minor = 0] = version.split('.').map(Number);
const tracksStatements = major > 1 || (major === 1 && minor >= 21);

const which = program === undefined ? '(not installed: apt-get install pgbouncer)' : version;

async function throughPgBouncer(settings: Readonly<Record<string, string | number>>) {
  const { url: directUrl } = await createTestDatabase(onTestFinished);
  const pooler = await startPgBouncer(directUrl, settings);
  onTestFinished(() => pooler.stop());
  return { url: pooler.url, directUrl };
}

/** Makes PgBouncer open two server connections, so that it has a choice. */
async function openTwoConnections(url: string): Promise<void> {
  const clients = [0, 1].map(() => new Client({ connectionString: url }));
  for (const client of clients) {
    await client.connect();
    await client.query('BEGIN');
  }
  for (const client of clients) {
    await client.query('COMMIT');
    await client.end();
  }
}

async function databaseFindings(url: string): Promise<Finding[]> {
  const findings = await examine({
    args: [],
    env: { CHATD_DATABASE_URL: url, CHATD_BUS_URL: 'memory:', CHATD_WORKSPACES: '0' },
    isRoot: false,
    onFinding: () => undefined,
  });
  return findings.filter(({ check }) => check === 'database');
}

describe.skipIf(program === undefined)(`PgBouncer ${which}`, () => {
  test('in session mode works like a direct connection', async () => {
    const { url } = await throughPgBouncer({ pool_mode: 'session' });
    const { admin } = await startServerOn(url);
    expect((await admin.ok('getMe')).role).toBe('admin');
    const levels = (await databaseFindings(url)).map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set(['ok']));
  });

  test.each([
    ['last used first', 0],
    ['round robin', 1],
  ])(
    'in transaction mode without prepared statements (%s) is refused with the reason',
    async (_, server_round_robin) => {
      const { url } = await throughPgBouncer({
        pool_mode: 'transaction',
        server_round_robin,
        ...(tracksStatements && { max_prepared_statements: 0 }),
      });
      await openTwoConnections(url);
      const error = await startServerOn(url, {}, { databasePatienceMs: 0 }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(StartError);
      expect(error).toMatchObject({
        kind: 'database_unsupported',
        message: expect.stringContaining('does not support prepared statements'),
        hint: expect.stringContaining('max_prepared_statements'),
      });
      expect(await databaseFindings(url)).toEqual([
        expect.objectContaining({
          level: 'broken',
          message: expect.stringContaining('does not support prepared statements'),
          hint: (error as StartError).hint,
        }),
      ]);
    },
  );
});
