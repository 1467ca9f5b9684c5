import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@chatd/loop/testing';
import { answer, gate, text as says, toolCall } from '@chatd/testing';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import {
  freePort,
  type OwnTool,
  said,
  startEverything,
  startOwnServer,
} from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

const QUICK = { backoffMs: 1 };
const calls = (tool: string, id: string) => answer([toolCall(tool, {}, { id })]);

/** A tool that waits until the test releases it, and reports when its call is canceled. */
function waiting(name: string, more: Partial<OwnTool> = {}) {
  const began = Promise.withResolvers<void>();
  const canceled = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const tool: OwnTool = {
    name,
    ...more,
    async run(_, signal) {
      signal.addEventListener('abort', () => canceled.resolve());
      began.resolve();
      await go.promise;
      return said(`${name} ran`);
    },
  };
  return { tool, began: began.promise, canceled: canceled.promise, go: go.resolve };
}

test('a turn whose server is down has none of its tools, and the model is informed', async () => {
  const port = await freePort();
  const server = await world.add({
    name: 'down',
    transport: 'http',
    url: `http://127.0.0.1:${port}/mcp`,
  });
  await world.start();
  world.provider.answer(answer([says('Without it, then.')]));
  const id = await world.ask([server]);
  await world.arrives(id);
  expect(world.offered()).toEqual([]);
  expect(world.system()).toContain('The tools down__* are not available in this turn.');
  expect(world.system()).toContain('the connection was refused');
});

test('a server that never responds does not block a turn', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const server = await world.add({
    name: 'mute',
    transport: 'http',
    url: `http://127.0.0.1:${port}/mcp`,
  });
  await world.start({ timing: { startMs: 50 } });
  world.provider.answer(answer([says('Without it, then.')]));
  const id = await world.ask([server]);
  await world.arrives(id);
  expect(world.system()).toContain('mute has not responded yet.');
});

test('a call that times out is an error result and is canceled at the server', async () => {
  const slow = waiting('slow');
  const own = await startOwnServer([slow.tool], onTestFinished);
  const server = await world.add({
    name: 'late',
    transport: 'http',
    url: own.url,
    timeout_seconds: 1,
  });
  await world.start();
  const [result] = await world.turn([server], [['late__slow', {}]]);
  expect(result).toMatchObject({ is_error: true });
  expect(result?.result).toContain('it did not respond in time');
  await slow.canceled;
});

test('an interrupt cancels the call at the server', async () => {
  const slow = waiting('slow');
  const own = await startOwnServer([slow.tool], onTestFinished);
  const server = await world.add({ name: 'held', transport: 'http', url: own.url });
  const { replica } = await world.start();
  world.provider.answer(calls('held__slow', 'toolu_1'));
  const id = await world.ask([server]);
  await slow.began;
  await replica.store.client.interrupt(id);
  await slow.canceled;
  await world.arrives(id);
  const [result] = await world.results(id);
  expect(result).toMatchObject({ tool_call_id: 'toolu_1', is_error: true });
});

test.each(['http', 'sse'] as const)(
  'a restarted server over %s is used again in the same turn',
  async (transport) => {
    const first = await startEverything(transport, onTestFinished);
    const name = `again-${transport}`;
    const server = await world.add({ name, transport, url: first.url });
    await world.start({ timing: QUICK });
    const call = (id: string) => toolCall(`${name}__get-sum`, { a: 1, b: 2 }, { id });
    const [dies, comesBack] = [gate(), gate()];
    world.provider.answer(
      answer([call('toolu_1')]),
      answer([says(['And again', dies]), call('toolu_2')]),
      answer([says(['Once more', comesBack]), call('toolu_3')]),
      answer([says('Done.')]),
    );
    const id = await world.ask([server]);
    await dies.reached;
    await first.kill();
    dies.release();
    await comesBack.reached;
    await startEverything(transport, onTestFinished, first.port);
    comesBack.release();
    await world.arrives(id);
    const results = await world.results(id);
    expect(results.map(({ is_error = false }) => is_error)).toEqual([false, true, false]);
    expect(results[1]?.result).toContain('the connection was refused');
    expect(results[2]?.result).toBe('The sum of 1 and 2 is 3.');
  },
);

test.each(['http', 'sse'] as const)(
  'a server over %s that dies during a call leaves an error result, not a waiting chat',
  async (transport) => {
    const process = await startEverything(transport, onTestFinished);
    const name = `dies-${transport}`;
    const server = await world.add({ name, transport, url: process.url, timeout_seconds: 600 });
    const { replica } = await world.start();
    const slow = { duration: 600, steps: 6000 };
    world.provider.answer(
      answer([toolCall(`${name}__trigger-long-running-operation`, slow, { id: 'toolu_1' })]),
      answer([says('It is gone.')]),
    );
    const id = await world.ask([server]);
    await eventually(() => expect(JSON.stringify(replica.shown.parts)).toContain('of 6000'));
    await process.kill();
    await world.arrives(id);
    const [result] = await world.results(id);
    expect(result).toMatchObject({ is_error: true });
    expect(result?.result).toContain('may or may not have performed it');
  },
);

test('a program that dies during a call is restarted for the next one', async () => {
  const program = `
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    process.stdin.on('data', (data) => {
      for (const { id, method, params } of String(data).trim().split('\\n').map((l) => JSON.parse(l))) {
        if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } });
        if (method === 'tools/list') answer(id, { tools: ['die', 'live'].map((name) => ({ name, inputSchema: { type: 'object' } })) });
        if (method === 'tools/call' && params.name === 'live') answer(id, { content: [{ type: 'text', text: 'alive' }] });
        if (method === 'tools/call' && params.name === 'die') { console.error('I am dying'); process.exit(1); }
      }
    });`;
  const server = await world.add({
    name: 'mortal',
    command: process.execPath,
    args: ['-e', program],
  });
  await world.start();
  world.provider.answer(
    calls('mortal__die', 'toolu_1'),
    calls('mortal__live', 'toolu_2'),
    answer([says('Done.')]),
  );
  const id = await world.ask([server]);
  await world.arrives(id);
  const [died, lived] = await world.results(id);
  expect(died).toMatchObject({ is_error: true });
  expect(died?.result).toContain('I am dying');
  expect(lived).toMatchObject({ result: 'alive' });
});

test('an expired session is replaced transparently', async () => {
  const port = await freePort();
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished, { port });
  const server = await world.add({ name: 'amnesia', transport: 'http', url: own.url });
  await world.start();
  world.script([['amnesia__ping', {}]]);
  const id = await world.ask([server]);
  await world.arrives(id);
  await own.stop();
  const again = await startOwnServer([{ name: 'ping' }], onTestFinished, { port });
  world.provider.answer(calls('amnesia__ping', 'toolu_9'), answer([says('Done.')]));
  await world.say(id);
  await eventually(async () => expect(await world.results(id)).toHaveLength(2));
  await world.arrives(id);
  expect((await world.results(id)).map(({ result }) => result)).toEqual(['ping ran', 'ping ran']);
  expect(again.calls).toEqual(['ping']);
});

test('a call whose connection is cut is not repeated, because its outcome is unknown', async () => {
  const slow = waiting('pay');
  const own = await startOwnServer([slow.tool], onTestFinished);
  const server = await world.add({ name: 'cut', transport: 'http', url: own.url });
  await world.start({ timing: QUICK });
  world.provider.answer(calls('cut__pay', 'toolu_1'), answer([says('I do not know.')]));
  const id = await world.ask([server]);
  await slow.began;
  await own.stop();
  await world.arrives(id);
  const [result] = await world.results(id);
  expect(result).toMatchObject({ is_error: true });
  expect(result?.result).toContain('may or may not have performed it');
  expect(own.calls).toEqual(['pay']);
});

test('each chat has its own client, which is closed when idle', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const server = await world.add({ name: 'solo', transport: 'http', url: own.url });
  const clock = new ManualClock();
  await world.start({ clock, timing: { idleMs: 60_000 } });
  const [one, other] = [
    await world.turn([server], [['solo__ping', {}]]),
    await world.turn([server], [['solo__ping', {}]]),
  ];
  expect([...one, ...other].map(({ result }) => result)).toEqual(['ping ran', 'ping ran']);
  expect(new Set(own.begun).size).toBe(2);
  expect(own.sessions.size).toBe(2);
  clock.advance(60_000);
  await eventually(() => expect(own.sessions.size).toBe(0));
});

test('a turn connects to a known server only to call its tools', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const server = await world.add({ name: 'lazy', transport: 'http', url: own.url });
  await world.start();
  for (const round of [1, 2]) {
    world.provider.answer(answer([says('Nothing to do.')]));
    await world.arrives(await world.ask([server]));
    expect(world.offered(), `round ${round}`).toEqual(['lazy__ping']);
  }
  expect(own.begun).toHaveLength(1);
});

test('new tools of a server are available in the next turn', async () => {
  const own = await startOwnServer([{ name: 'old' }], onTestFinished);
  const server = await world.add({ name: 'grows', transport: 'http', url: own.url });
  await world.start();
  world.script([['grows__old', {}]]);
  const id = await world.ask([server]);
  await world.arrives(id);
  expect(world.offered()).toEqual(['grows__old']);
  own.tools = [{ name: 'old' }, { name: 'new' }];
  // The stream for these notifications may open a moment later.
  await eventually(async () => {
    await own.toolsChanged();
    world.provider.answer(answer([says('I see.')]));
    await world.say(id);
    await eventually(() => expect(world.provider.left).toBe(0));
    await world.arrives(id);
    expect(world.offered()).toEqual(['grows__old', 'grows__new']);
  });
});

test.each([
  ['disabled', 'UPDATE mcp_servers SET enabled = false'],
  ['deleted', 'DELETE FROM mcp_servers'],
])('a %s server is not used', async (state, change) => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const server = await world.add({ name: state, transport: 'http', url: own.url });
  await world.start();
  expect(await world.turn([server], [[`${state}__ping`, {}]])).toMatchObject([
    { result: 'ping ran' },
  ]);
  await execute(world.url, `${change} WHERE id = '${server.id}'`);
  const { length } = own.begun;
  world.provider.answer(answer([says('Nothing here.')]));
  await world.arrives(await world.ask([server]));
  expect(world.offered()).toEqual([]);
  expect(own.begun).toHaveLength(length);
});

test('a server that is restricted to groups is not called for a user who leaves them during a turn', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const { owner, url } = world.store;
  const [group] = await execute<{ id: string }>(
    url,
    `INSERT INTO groups (id, name) VALUES (gen_random_uuid(), 'ops') RETURNING id`,
  );
  await execute(url, `INSERT INTO group_members VALUES ('${group?.id}', '${owner}')`);
  const server = await world.add({
    name: 'ops',
    transport: 'http',
    url: own.url,
    group_ids: [group?.id ?? ''],
  });
  await world.start();
  const pause = gate();
  world.provider.answer(
    calls('ops__ping', 'toolu_1'),
    answer([says(['And again', pause]), toolCall('ops__ping', {}, { id: 'toolu_2' })]),
    answer([says('Hm.')]),
    answer([says('Nothing here.')]),
  );
  const id = await world.ask([server]);
  await pause.reached;
  await execute(url, `DELETE FROM group_members`);
  pause.release();
  await world.arrives(id);
  const [first, second] = await world.results(id);
  expect(first).toMatchObject({ result: 'ping ran' });
  expect(second).toMatchObject({ is_error: true });
  expect(second?.result).toContain('disabled, deleted, or restricted');
  await world.say(id);
  await eventually(() => expect(world.provider.left).toBe(0));
  await world.arrives(id);
  expect(world.offered()).toEqual([]);
});

test('a server that is changed during a turn is available in the next turn', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const server = await world.add({ name: 'edited', transport: 'http', url: own.url });
  const { mcp } = await world.start();
  const pause = gate();
  world.provider.answer(
    calls('edited__ping', 'toolu_1'),
    answer([says(['And again', pause]), toolCall('edited__ping', {}, { id: 'toolu_2' })]),
    answer([says('Hm.')]),
    calls('edited__ping', 'toolu_3'),
    answer([says('Done.')]),
  );
  const id = await world.ask([server]);
  await pause.reached;
  mcp.changed(server.id);
  pause.release();
  await world.arrives(id);
  await world.say(id);
  await eventually(async () => expect(await world.results(id)).toHaveLength(3));
  const results = await world.results(id);
  expect(results[1]).toMatchObject({ is_error: true });
  expect(results[1]?.result).toContain('it was changed during the turn');
  expect(results[2]).toMatchObject({ result: 'ping ran' });
  await world.arrives(id);
});

test('a failed call does not affect concurrent calls', async () => {
  const slow = waiting('slow');
  let failed = false;
  const own = await startOwnServer([slow.tool, { name: 'bad' }], onTestFinished, {
    // Responds once like a server that has lost the session.
    before(request, response) {
      if (request.method !== 'POST' || failed || own.calls.length !== 1) return false;
      failed = true;
      response.writeHead(404).end();
      return true;
    },
  });
  const server = await world.add({ name: 'side', transport: 'http', url: own.url });
  await world.start();
  world.provider.answer(
    answer([
      toolCall('side__slow', {}, { id: 'toolu_1' }),
      toolCall('side__bad', {}, { id: 'toolu_2' }),
    ]),
    answer([says('Done.')]),
  );
  const id = await world.ask([server]);
  await slow.began;
  await eventually(() => expect(own.calls).toContain('bad'));
  slow.go();
  await world.arrives(id);
  expect((await world.results(id)).map(({ result }) => result)).toEqual(['slow ran', 'bad ran']);
});

test('after a restart, a call is repeated only if a trusted server declares it read-only', async () => {
  const reads = { annotations: { readOnlyHint: true } };
  const look = waiting('look', reads);
  const pay = waiting('pay');
  const own = await startOwnServer([look.tool, pay.tool], onTestFinished);
  const trusted = await world.add({
    name: 'trusted',
    transport: 'http',
    url: own.url,
    trusted: true,
  });
  const stranger = await world.add({ name: 'stranger', transport: 'http', url: own.url });
  const first = await world.start();
  world.provider.answer(
    answer([
      toolCall('trusted__look', {}, { id: 'toolu_1' }),
      toolCall('trusted__pay', {}, { id: 'toolu_2' }),
      toolCall('stranger__look', {}, { id: 'toolu_3' }),
    ]),
    answer([says('Done.')]),
  );
  const id = await world.ask([trusted, stranger]);
  await eventually(() => expect(own.calls).toHaveLength(3));
  await first.replica.stop();
  await first.mcp.close();
  look.go();
  pay.go();
  await world.start();
  await world.arrives(id);
  const results = await world.results(id);
  expect(results.map(({ is_error = false }) => is_error)).toEqual([false, true, true]);
  expect(results[1]?.result).toContain('The outcome of this call is unknown');
  expect(own.calls.toSorted()).toEqual(['look', 'look', 'look', 'pay']);
});

test('plan mode offers only tools that a trusted server declares read-only', async () => {
  const look = { name: 'look', annotations: { readOnlyHint: true } };
  const own = await startOwnServer([look, { name: 'pay' }], onTestFinished);
  const url = own.url;
  const trusted = await world.add({ name: 'known', transport: 'http', url, trusted: true });
  const stranger = await world.add({ name: 'unknown', transport: 'http', url });
  await world.start();
  world.script([
    ['known__look', {}],
    ['known__pay', {}],
    ['unknown__look', {}],
  ]);
  const id = await world.ask([trusted, stranger], { plan_mode: true });
  await world.arrives(id);
  expect(world.offered()).toEqual(['known__look']);
  const results = await world.results(id);
  expect(results.map(({ is_error = false }) => is_error)).toEqual([false, true, true]);
  expect(own.calls).toEqual(['look']);
});

test('only tools that are allowed and not denied are offered', async () => {
  const names = ['read_a', 'read_b', 'write_a', 'read_secret'];
  const own = await startOwnServer(
    names.map((name) => ({ name })),
    onTestFinished,
  );
  const server = await world.add({
    name: 'some',
    transport: 'http',
    url: own.url,
    tool_allow: ['read_*'],
    tool_deny: ['*secret'],
  });
  await world.start();
  const [refused] = await world.turn([server], [['some__write_a', {}]]);
  expect(world.offered()).toEqual(['some__read_a', 'some__read_b']);
  expect(refused).toMatchObject({ is_error: true, result: 'Tool not found: some__write_a' });
  expect(own.calls).toEqual([]);
});

test('tools that a server adds during a turn are offered with the next step', async () => {
  const listed = Promise.withResolvers<void>();
  const added: OwnTool = {
    name: 'added',
    get description() {
      listed.resolve();
      return 'Comes later';
    },
  };
  const unlock: OwnTool = {
    name: 'unlock',
    async run() {
      own.tools.push(added);
      await own.toolsChanged();
      await listed.promise;
      return said('There is another tool now.');
    },
  };
  const own = await startOwnServer([unlock], onTestFinished);
  const server = await world.add({ name: 'growing', transport: 'http', url: own.url });
  await world.start();
  world.provider.answer(
    calls('growing__unlock', 'toolu_1'),
    calls('growing__added', 'toolu_2'),
    answer([says('Done.')]),
  );
  const id = await world.ask([server]);
  await world.arrives(id);
  expect(world.offered(-3)).toEqual(['growing__unlock']);
  expect(world.offered(-2)).toEqual(['growing__unlock', 'growing__added']);
  expect(await world.results(id)).toMatchObject([
    { result: 'There is another tool now.' },
    { result: 'added ran' },
  ]);
});

test('endless notifications of changed tools do not block a turn', async () => {
  const restless: OwnTool = {
    name: 'restless',
    async run() {
      own.tools.push({ name: `t${own.tools.length}` });
      await own.toolsChanged();
      return said('ran');
    },
  };
  const own = await startOwnServer([restless], onTestFinished);
  const server = await world.add({ name: 'busy', transport: 'http', url: own.url });
  await world.start();
  const steps = ['toolu_1', 'toolu_2', 'toolu_3'].map((id) => calls('busy__restless', id));
  world.provider.answer(...steps, answer([says('Done.')]));
  const id = await world.ask([server]);
  await world.arrives(id);
  expect(own.calls).toEqual(['restless', 'restless', 'restless']);
});
