import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { postgresPid, type ServerProcess, spawnServer } from '@chatd/test-server';

const ROUNDS = process.env['CHATD_TEST_ALL'] === '1' ? 20 : 6;
const WRITERS = 6;
/** Number of acknowledged requests before each kill and after the last. */
const PROGRESS = 25;
/** No worker runs the chats: the test checks only what the API acknowledged. */
const NO_WORKER = { args: ['--concurrency', '0', '--rate-limit', '0'] };
const VICTIMS = ['server', 'postgres', 'both'] as const;

test(`acknowledged writes survive ${ROUNDS} kill -9 of the server, PostgreSQL, or both exactly once`, async () => {
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  let server: ServerProcess = await spawnServer(dataDir, NO_WORKER);
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });

  const acknowledged: string[] = [];
  const acknowledgements = new EventEmitter();
  const done = new AbortController();

  /** Repeats each message with its key until it is acknowledged. */
  const write = async (writer: number) => {
    for (let index = 0; !done.signal.aborted; index += 1) {
      const text = `writer ${writer}, chat ${index}`;
      const input = { body: { content: text }, headers: { 'idempotency-key': randomUUID() } };
      while (!(await isAcknowledged(() => server.client.call('createChat', input)))) {
        await sleep(20);
      }
      acknowledged.push(text);
      acknowledgements.emit('one');
    }
  };
  const progress = async () => {
    for (let count = 0; count < PROGRESS; count += 1) await once(acknowledgements, 'one');
  };

  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.race([progress(), writing]);
    const victim = VICTIMS[round % VICTIMS.length];
    const postgres = await postgresPid(dataDir);
    expect(postgres, 'PostgreSQL runs').toBeDefined();
    if (victim !== 'server') process.kill(postgres ?? 0, 'SIGKILL');
    if (victim !== 'postgres') {
      server.child.kill('SIGKILL');
      expect(await server.ended).toBe('SIGKILL');
      server = await spawnServer(dataDir, NO_WORKER);
    }
  }
  await Promise.race([progress(), writing]);
  done.abort();
  await writing;

  const stored = await titles(server);
  expect(stored.toSorted()).toEqual(acknowledged.toSorted());
  expect(acknowledged.length).toBeGreaterThan(ROUNDS * PROGRESS);
}, 600_000);

/** Connection errors and 503 leave the outcome unknown: the client retries. Other failures are not allowed. */
async function isAcknowledged(call: () => Promise<{ status: number; text: string }>) {
  try {
    const { status, text } = await call();
    if (status === 503) return false;
    expect(status, text).toBe(201);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

async function titles({ client }: ServerProcess): Promise<string[]> {
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string | number> = {
      limit: 200,
      ...(cursor !== null && { cursor }),
    };
    const { chats, next_cursor } = await client.ok('listChats', { query });
    all.push(...chats.map(({ title }) => title));
    cursor = next_cursor;
  } while (cursor !== null);
  return all;
}
