import { describe, expect, test } from 'vitest';
import { ownMigrations } from '../../src/store/migrate/migrate.ts';
import { breakingStatements } from './breaking-statements.ts';
import { RELEASED } from './released.ts';

const own = (await ownMigrations()).map((migration) => ({
  ...migration,
  label: `${String(migration.version).padStart(4, '0')}_${migration.name}`,
}));
const fresh = own.filter(({ label }) => !(label in RELEASED));

test('released migrations are unchanged', () => {
  const released = own.filter(({ label }) => label in RELEASED);
  expect(Object.fromEntries(released.map(({ label, checksum }) => [label, checksum]))).toEqual(
    RELEASED,
  );
});

test('a new migration has a higher version than every released one', () => {
  const newest = Math.max(...Object.keys(RELEASED).map((label) => Number.parseInt(label, 10)));
  expect(fresh.filter(({ version }) => version <= newest).map(({ label }) => label)).toEqual([]);
});

test('a new migration does not break older programs, unless it declares a contract', () => {
  const broken = fresh
    .filter(({ needs }) => needs === 0)
    .flatMap(({ label, sql }) => breakingStatements(sql).map((why) => `${label}: ${why}`));
  expect(
    broken,
    'Remove it one release after the last program that used it, in a migration with the line "-- contract: NNNN", ' +
      'where NNNN is the migration that programs must know (docs/upgrades.md)',
  ).toEqual([]);
});

test('a contract names an existing migration', () => {
  for (const { version, needs, label } of own) expect(needs, label).toBeLessThanOrEqual(version);
});

describe('statements that break an older program', () => {
  test.each([
    'DROP TABLE chats',
    'ALTER TABLE chats DROP COLUMN title',
    'ALTER TABLE chats RENAME COLUMN title TO name',
    'ALTER TABLE chats RENAME TO talks',
    'ALTER TABLE messages ALTER COLUMN content TYPE json USING content::json',
    'ALTER TABLE chats ADD COLUMN color text NOT NULL',
    'ALTER TABLE chats ADD COLUMN a int, ADD COLUMN color text NOT NULL, ADD COLUMN b int DEFAULT 1',
    'ALTER TABLE chats ALTER COLUMN title SET NOT NULL',
    'ALTER TABLE chats ALTER title DROP DEFAULT',
    `ALTER TABLE chats ADD CONSTRAINT no_empty CHECK (title <> '')`,
    'CREATE UNIQUE INDEX one_title ON chats (title)',
    'TRUNCATE sessions',
  ])('%s', (sql) => {
    expect(breakingStatements(`-- why\n${sql};`)).toHaveLength(1);
  });
});

describe('statements that do not affect an older program', () => {
  test.each([
    'CREATE TABLE colors (id int PRIMARY KEY); CREATE UNIQUE INDEX one ON colors (id)',
    'CREATE TABLE colors (id int); ALTER TABLE colors ADD CONSTRAINT one UNIQUE (id)',
    'ALTER TABLE chats ADD COLUMN interrupted boolean NOT NULL DEFAULT false',
    `ALTER TABLE chats ADD COLUMN kind text NOT NULL DEFAULT 'turn' CHECK (kind IN ('turn', 'title'))`,
    'ALTER TABLE chats ADD COLUMN color text',
    'CREATE INDEX chats_by_color ON chats (color)',
    `-- DROP TABLE chats\nUPDATE settings SET value = '{"word": "DROP TABLE chats"}'`,
    'ALTER TABLE chats ALTER COLUMN title DROP NOT NULL',
  ])('%s', (sql) => {
    expect(breakingStatements(`${sql};`)).toEqual([]);
  });
});
