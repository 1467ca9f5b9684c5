import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pendingMigrations, readMigrations } from './migrate.ts';
import type { Migration } from './migration.ts';

const first = migration(1, 'first');
const second = migration(2, 'second');
const third = migration(3, 'third');

function migration(version: number, name: string): Migration {
  const sql = `SELECT ${version}`;
  const checksum = createHash('sha256').update(sql).digest('hex');
  return { version, name, sql, checksum, needs: 0 };
}

test('an empty database needs every migration, in order', () => {
  expect(pendingMigrations([first, second], [])).toEqual([first, second]);
});

test('applied migrations are not applied again', () => {
  expect(pendingMigrations([first, second, third], [first, second])).toEqual([third]);
});

test('a compatible migration of a newer chatd is ignored', () => {
  expect(pendingMigrations([first, second], [first, second, { ...third, needs: 2 }])).toEqual([]);
});

test.each([
  ['removes what this version uses', 3],
  ['does not declare what it needs', null],
])('a migration of a newer chatd that %s is refused', (_, needs) => {
  expect(() => pendingMigrations([first, second], [first, second, { ...third, needs }])).toThrow(
    expect.objectContaining({
      kind: 'newer_schema',
      message: expect.stringContaining('migrated by a newer chatd'),
      hint: expect.stringContaining('Upgrade chatd'),
    }),
  );
});

test('a newer schema is reported even if an old file differs as well', () => {
  const other = { ...first, checksum: 'other' };
  expect(() => pendingMigrations([first, second], [other, second, { ...third, needs: 3 }])).toThrow(
    expect.objectContaining({ kind: 'newer_schema' }),
  );
});

test('an applied migration whose file changed is refused', () => {
  expect(() => pendingMigrations([first, second], [{ ...first, checksum: 'other' }])).toThrow(
    expect.objectContaining({
      kind: 'changed_migration',
      message: expect.stringContaining('0001_first'),
    }),
  );
});

test('an applied migration without a file is refused', () => {
  expect(() => pendingMigrations([first, third], [first, second])).toThrow(
    expect.objectContaining({ kind: 'missing_migration' }),
  );
});

test('line endings do not change a checksum', async () => {
  const [unix] = await readMigrations(
    await directoryWith({ '0001_a.sql': 'SELECT 1;\nSELECT 2;\n' }),
  );
  const [dos] = await readMigrations(
    await directoryWith({ '0001_a.sql': 'SELECT 1;\r\nSELECT 2;\r\n' }),
  );
  expect(dos).toEqual(unix);
});

test('a migration that removes something declares the migration that programs must know', async () => {
  const directory = await directoryWith({
    '0001_a.sql': 'CREATE TABLE a ();\n',
    '0002_b.sql': '-- Nobody has read it since 0001.\n-- contract: 0001\nDROP TABLE a;\n',
  });
  const needs = (await readMigrations(directory)).map((one) => one.needs);
  expect(needs).toEqual([0, 1]);
});

test('two files with the same number are refused', async () => {
  const directory = await directoryWith({ '0001_a.sql': '', '0001_b.sql': '' });
  await expect(readMigrations(directory)).rejects.toThrow('Two migrations have the number 1');
});

test('a file that is not named like a migration is refused', async () => {
  const directory = await directoryWith({ '1-init.sql': '' });
  await expect(readMigrations(directory)).rejects.toThrow('must be named like');
});

async function directoryWith(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chatd-migrations-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)),
  );
  return directory;
}
