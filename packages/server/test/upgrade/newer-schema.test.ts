import { expect, onTestFinished, test } from 'vitest';
import { startServerOn } from '@chatd/test-server';
import { createTestDatabase, dump, execute } from '@chatd/test-server/database';

/** As a newer version would leave it: with a column that this one does not know. */
const newer = (needs: number) =>
  `ALTER TABLE chats ADD COLUMN color text NOT NULL DEFAULT 'red';
   INSERT INTO schema_migrations (version, name, checksum, needs) VALUES (9999, 'colors', '-', ${needs})`;

const { url } = await createTestDatabase();
await execute(url, newer(1));
const server = await startServerOn(url);

test('on a schema that a newer version has only added to, this one works and says so', async () => {
  expect(server.logged.join('')).toContain(
    'a newer chatd has migrated this database; this version can still use it',
  );
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const { id } = await server.admin.ok('createChat', { body: { content: 'hello' } });
  await server.admin.ok('sendMessage', { params: { chat_id: id }, body: { content: 'again' } });
  expect(await execute(url, 'SELECT color FROM chats')).toEqual([{ color: 'red' }]);
});

test('on a schema that a newer version has taken something away from, this one does not start', async () => {
  const database = await createTestDatabase(onTestFinished);
  await execute(database.url, newer(9999));
  const before = await dump(database.url);
  await expect(startServerOn(database.url)).rejects.toMatchObject({
    kind: 'newer_schema',
    message: expect.stringMatching(
      /^This database was migrated by a newer chatd: it has the migration 9999_colors, and this program knows migrations up to \d{4}\.$/,
    ),
    hint: expect.stringContaining('restore a backup from before the migration'),
  });
  expect(await dump(database.url)).toBe(before);
});
