import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { execute } from '@chatd/test-server/database';
import { everythingProgram } from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

const pinOf = async (chatId: string) => {
  const rows = await execute<{ pinned_worker_id: string | null }>(
    world.url,
    `SELECT pinned_worker_id FROM chats WHERE id = '${chatId}'`,
  );
  return rows[0]?.pinned_worker_id;
};

test('a chat is pinned to the worker that runs its program, until the program is evicted', async () => {
  const workerId = randomUUID();
  const server = await world.add({ name: 'local', transport: 'stdio', ...everythingProgram });
  await world.start({ workerId, programs: { total: 1 } });
  const turn = async () => {
    world.script([['local__echo', { message: 'hello' }]]);
    const id = await world.ask([server]);
    await world.arrives(id);
    expect(await world.results(id)).toMatchObject([{ result: 'Echo: hello' }]);
    return id;
  };
  const first = await turn();
  await eventually(async () => expect(await pinOf(first)).toBe(workerId));
  const second = await turn();
  await eventually(async () => expect(await pinOf(second)).toBe(workerId));
  await eventually(async () => expect(await pinOf(first)).toBeNull());
});
