import { rm } from 'node:fs/promises';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { expect, onTestFinished, test } from 'vitest';
import { chatOf, clientOf } from './face.ts';

const text = (events: readonly ResponseStreamEvent[]) =>
  events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));

test('a background response continues on another replica after kill -9, without a lost or repeated delta', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const victim = await spawnServer(dataDir, {
    args: ['--lease-seconds', '8'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void victim.child.kill('SIGKILL'));
  const survivor = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 8000 });

  const seen: ResponseStreamEvent[] = [];
  const before = clientOf(victim.url, victim.client.headers);
  const input = 'be slow for 5 seconds';
  const stream = await before.responses.create({ input, background: true, stream: true });
  const cut = async () => {
    for await (const event of stream) {
      seen.push(event);
      if (text(seen).length > 2) victim.child.kill('SIGKILL');
    }
  };
  await expect(cut()).rejects.toBeInstanceOf(Error);
  const [created] = seen;
  const id = created?.type === 'response.created' ? created.response.id : '';

  const after = clientOf(survivor.url, survivor.admin.headers);
  const starting_after = seen.at(-1)?.sequence_number ?? 0;
  const rest: ResponseStreamEvent[] = [];
  for await (const event of await after.responses.retrieve(id, { stream: true, starting_after })) {
    rest.push(event);
  }
  const numbers = [...seen, ...rest].map(({ sequence_number }) => sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  const { messages } = await survivor.admin.ok('listMessages', { params: { chat_id: chatOf(id) } });
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const said = messages[1]?.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  expect(text([...seen, ...rest]).join('')).toBe(said?.join(''));
  expect(rest.at(-1)).toMatchObject({ type: 'response.completed' });
  expect(text(rest).length).toBeGreaterThan(0);
}, 120_000);
