import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { makeBackup, restoreBackup } from '../../src/backup/index.ts';
import { indexPending } from '../../src/search/indexer.ts';
import { findChats } from '../../src/search/search-chats.ts';
import { ANY_CHAT } from '../../src/store/chat-reads.ts';
import { Database } from '../../src/store/database.ts';
import { config } from '@chatd/test-server';
import { createDatabase, dump, execute, says, TestStore, text } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

/** Indexes, constraints and triggers, as PostgreSQL describes them. */
const schemaOf = (url: string) =>
  execute(
    url,
    `SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL
     SELECT format('%s: %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
     UNION ALL
     SELECT format('%s %s', tgenabled, pg_get_triggerdef(oid)) FROM pg_trigger WHERE NOT tgisinternal
      ORDER BY 1`,
  );

const onProgress = () => undefined;

test('a restored database has every row, index, constraint, and trigger, and search finds its messages', async () => {
  const folder = await makeTemporaryDirectory();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await TestStore.open();
  const { id } = await store.create({ content: text('a question about foxgloves') });
  const fence = await store.take(id);
  const messages = [says('an answer about delphiniums')];
  await store.runner.commitStep(id, fence, { attempt: 0, messages, next: 'finish_turn' });
  await indexPending(store.database);

  const copy = await restored(store.url, folder);
  expect(await schemaOf(copy)).toEqual(await schemaOf(store.url));
  const own = ['schema_migrations', 'workers'];
  expect(await dump(copy, own)).toBe(await dump(store.url, own));
  const database = new Database({ url: copy, connections: 2 });
  try {
    await indexPending(database);
    const filter = { ...ANY_CHAT, ownerId: store.owner, archived: false };
    for (const word of ['foxgloves', 'delphiniums']) {
      const found = await findChats(database, {
        ...filter,
        text: word,
        after: null,
        withShared: false,
        limit: 5,
      });
      expect(found.rows.map((row) => row.id)).toEqual([id]);
    }
  } finally {
    await database.close();
  }
});

test('a restored database has no live replicas and no connected machines', async () => {
  const folder = await makeTemporaryDirectory();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { url } = await TestStore.open();
  const machine = 'f3f2a5c2-1d1c-4e63-9d0f-5a4b3c2d1e0f';
  await execute(url, `INSERT INTO workers (id, heartbeat_at) VALUES ('${machine}', now())`);
  await execute(url, `INSERT INTO machines (id, name, kind) VALUES ('${machine}', 'm', 'local')`);
  await execute(
    url,
    `INSERT INTO machine_connections (machine_id, replica_id, epoch, internal_url)
     VALUES ('${machine}', '${machine}', 7, 'http://127.0.0.1:1')`,
  );
  const copy = await restored(url, folder);
  expect(await execute(copy, 'SELECT id FROM workers')).toEqual([]);
  expect(await execute(copy, 'SELECT replica_id, epoch::int FROM machine_connections')).toEqual([
    { replica_id: null, epoch: 7 },
  ]);
});

/** Backs up a database and restores it into a new one. Resolves to its URL. */
async function restored(url: string, folder: string): Promise<string> {
  const file = join(folder, 'all.backup');
  await makeBackup(config({ databaseUrl: url, dataDir: folder }), {
    target: createWriteStream(file),
    withWorkspaces: false,
    withSecretKey: false,
    now: new Date(),
    onProgress,
  });
  const copy = await createDatabase(inject('postgresUrl'));
  onTestFinished(() => copy.drop());
  const target = config({ databaseUrl: copy.url, dataDir: folder });
  const { manifest } = await restoreBackup(target, { source: createReadStream(file), onProgress });
  expect(manifest.tables.map(({ name }) => name)).not.toContain('search_segments');
  return copy.url;
}
