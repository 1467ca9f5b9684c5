import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@chatd/client';
import { createChatd } from '@chatd/server';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { createDatabase, dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { EXIT } from '../src/exit-codes.ts';
import { launch } from './support/command.ts';
import { chatd } from './support/in-process.ts';
import { ADMIN_TOKEN } from './support/server.ts';

vi.setConfig({ testTimeout: 600_000 });

const folder = await makeTemporaryDirectory();
afterAll(() => rm(folder, { recursive: true, force: true }));

async function serve(dataDir: string) {
  const running = launch(['serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0'], {
    CHATD_ADMIN_TOKEN: ADMIN_TOKEN,
    CHATD_ALLOW_PRIVATE_URLS: '1',
  });
  running.child.stdin.end();
  let ended = false;
  const stop = async () => {
    if (ended) return;
    ended = true;
    running.child.kill('SIGTERM');
    await running.ended;
  };
  onTestFinished(stop);
  const url = await vi.waitFor(
    () => {
      const [, found] = /ready at (\S+)/.exec(running.output().stdout) ?? [];
      if (found === undefined) throw new Error(running.output().stderr);
      return found;
    },
    { timeout: 300_000, interval: 100 },
  );
  return { url, stop, client: createClient({ url, token: ADMIN_TOKEN }) };
}

test('a running server is backed up and restored to another data directory', async () => {
  const before = join(folder, 'before');
  const after = join(folder, 'after');
  const file = join(folder, 'all.backup');
  const { client, url, stop } = await serve(before);
  const env = { CHATD_URL: url, CHATD_TOKEN: ADMIN_TOKEN };

  const asked = await chatd(
    ['run', '--template', 'empty', 'run a command `echo kept 漢字 > note.txt; cat note.txt`'],
    { env },
  );
  expect(asked.stdout).toContain('kept 漢字');
  await client.call('createProvider', {
    body: {
      type: 'openai-compatible',
      name: 'Kept',
      base_url: 'http://127.0.0.1:1/v1',
      api_key: 'sk-kept-0123456789',
    },
  });
  // This chat is running during the backup.
  const slow = await client.call('createChat', { body: { content: 'be slow for 10 minutes' } });
  const { chats } = await client.call('listChats');

  const made = await chatd(['backup', file, '--data-dir', before, '--workspaces', '--secret-key']);
  expect([made.code, made.stderr]).toEqual([
    EXIT.ok,
    expect.stringContaining(`Backed up ${chats.length} chats`),
  ]);
  expect(made.stderr).toContain('The backup contains the secret key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // The chat continued during the backup.
  const params = { chat_id: slow.id };
  expect((await client.call('getChat', { params })).status).toBe('running');
  const again = await chatd(['backup', file, '--data-dir', before]);
  expect([again.code, again.stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining('already exists'),
  ]);
  await stop();

  const restored = await chatd(['restore', file, '--data-dir', after]);
  expect([restored.code, restored.stderr]).toEqual([
    EXIT.ok,
    expect.stringContaining(`Restored ${chats.length} chats`),
  ]);
  const twice = await chatd(['restore', file, '--data-dir', after]);
  expect([twice.code, twice.stderr]).toEqual([
    EXIT.failed,
    expect.stringContaining('already has a database'),
  ]);

  const second = await serve(after);
  const found = await second.client.call('listChats');
  expect(found.chats.map(({ id }) => id).toSorted()).toEqual(chats.map(({ id }) => id).toSorted());
  // New rows after the backup have new IDs, and the running chat continues.
  await vi.waitFor(
    async () => expect((await second.client.call('getChat', { params })).status).toBe('running'),
    { timeout: 200_000, interval: 200 },
  );
  await second.client.call('interruptChat', { params });
  const cat = await chatd(
    [
      'run',
      '--chat',
      /^chat (\S+)$/m.exec(asked.stderr)?.[1] ?? '',
      'run a command `cat note.txt`',
    ],
    { env: { CHATD_URL: second.url, CHATD_TOKEN: ADMIN_TOKEN } },
  );
  expect(cat.stdout).toContain('kept 漢字');
  const healthy = await chatd(['doctor', '--local', '--data-dir', after]);
  expect(healthy.stdout).toContain('All 1 stored provider keys can be decrypted');
});

test('a backup preserves every row of an external PostgreSQL', async () => {
  const source = await createDatabase(inject('postgresUrl'), 'chatd_template');
  const target = await createDatabase(inject('postgresUrl'));
  onTestFinished(async () => {
    await source.drop();
    await target.drop();
  });
  const server = await createChatd({
    settings: {
      database_url: source.url,
      listen: '127.0.0.1:0',
      admin_token: ADMIN_TOKEN,
      workspaces: false,
      bus_url: 'memory:',
    },
  });
  const client = createClient({ url: server.url, token: ADMIN_TOKEN });
  const used = await client.files.upload(new Blob(['used']), { name: 'used.txt' });
  await client.files.upload(new Blob(['unused']), { name: 'unused.txt' });
  const chat = await client.call('createChat', {
    body: {
      content: [
        { type: 'text', text: 'tabs\tand \\N and "quotes" and 漢字\nlines' },
        { type: 'file', file_id: used.id },
      ],
    },
  });
  await eventually(async () =>
    expect((await client.call('getChat', { params: { chat_id: chat.id } })).status).toBe('waiting'),
  );
  await server.close();
  const file = join(folder, 'external.backup');
  const made = await chatd(['backup', file], { env: { CHATD_DATABASE_URL: source.url } });
  expect(made.code, made.stderr).toBe(EXIT.ok);
  const restored = await chatd(['restore', file], { env: { CHATD_DATABASE_URL: target.url } });
  expect(restored.code, restored.stderr).toBe(EXIT.ok);
  const own = ['schema_migrations'];
  expect(await dump(target.url, own)).toBe(await dump(source.url, own));
  const taken = await chatd(['restore', file], { env: { CHATD_DATABASE_URL: target.url } });
  expect([taken.code, taken.stderr]).toEqual([
    EXIT.failed,
    expect.stringContaining('The database is not empty'),
  ]);
});

test('a truncated backup restores nothing and leaves nothing behind', async () => {
  const source = await createDatabase(inject('postgresUrl'), 'chatd_template');
  const target = await createDatabase(inject('postgresUrl'));
  onTestFinished(async () => {
    await source.drop();
    await target.drop();
  });
  const file = join(folder, 'cut.backup');
  expect((await chatd(['backup', file], { env: { CHATD_DATABASE_URL: source.url } })).code).toBe(
    EXIT.ok,
  );
  const whole = await readFile(file);
  const env = { CHATD_DATABASE_URL: target.url };
  const empty = await dump(target.url);
  for (const size of [whole.length - 1, Math.floor(whole.length / 2), 10, 0]) {
    await writeFile(file, whole);
    await truncate(file, size);
    const { code, stderr } = await chatd(['restore', file], { env });
    expect([code, stderr], String(size)).toEqual([
      EXIT.failed,
      expect.stringMatching(/damaged|not a backup|incomplete/),
    ]);
  }
  expect(await dump(target.url)).toBe(empty);
  await writeFile(file, whole);
  expect((await chatd(['restore', file], { env })).code).toBe(EXIT.ok);
});

test('a data directory without a database cannot be backed up', async () => {
  const nothing = join(folder, 'nothing');
  await mkdir(nothing);
  const { code, stderr } = await chatd(['backup', join(folder, 'x'), '--data-dir', nothing]);
  expect([code, stderr]).toEqual([EXIT.failed, expect.stringContaining('has no database')]);
  await expect(stat(join(folder, 'x'))).rejects.toThrow('ENOENT');
});
