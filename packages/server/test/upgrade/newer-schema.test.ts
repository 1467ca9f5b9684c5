import { expect, onTestFinished, test } from 'vitest';
import { startServerOn } from '@chatd/test-server';
import { createTestDatabase, dump, execute } from '@chatd/test-server/database';

/** A migration of a newer version, with a column that this version does not know. */
const newer = (needs: number) =>
  `ALTER TABLE chats ADD COLUMN color text NOT NULL DEFAULT 'red';
   INSERT INTO schema_migrations (version, name, checksum, needs) VALUES (9999, 'colors', '-', ${needs})`;

const { url } = await createTestDatabase();
await execute(url, newer(1));
const server = await startServerOn(url);

test('the server runs on a newer schema with only additions, and logs it', async () => {
  expect(server.logged.join('')).toContain(
    'a newer chatd has migrated this database; this version can still use it',
  );
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const { id } = await server.admin.ok('createChat', { body: { content: 'hello' } });
  await server.admin.ok('sendMessage', { params: { chat_id: id }, body: { content: 'again' } });
  expect(await execute(url, 'SELECT color FROM chats')).toEqual([{ color: 'red' }]);
});

test('the server does not start on a newer schema with removals', async () => {
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
