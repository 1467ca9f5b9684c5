import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, text as says, toolCall } from '@chatd/testing';
import { eventually } from '@chatd/test-server/eventually';
import { startOwnServer } from '@chatd/test-server/mcp';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startModernServer } from './modern-server.ts';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

test('a server of the revision 2026-07-28 is probed once, and needs no handshake afterwards', async () => {
  const modern = await startModernServer(onTestFinished);
  const server = await world.add({
    name: 'modern',
    transport: 'http',
    url: modern.url,
    auth: { type: 'bearer', token: 'the-token-of-the-server' },
  });
  await world.start();
  const [first] = await world.turn([server], [['modern__ping', {}]]);
  expect(first).toMatchObject({ result: 'ping ran' });
  expect(world.offered()).toContain('modern__ping');
  expect(modern.methods.filter((method) => method !== 'subscriptions/listen')).toEqual([
    'server/discover',
    'tools/list',
    'tools/call',
  ]);
  expect(JSON.stringify(world.provider.requests.at(-1)?.body)).toContain('Be modern.');
  modern.methods.length = 0;
  const [second] = await world.turn([server], [['modern__ping', {}]]);
  expect(second).toMatchObject({ result: 'ping ran' });
  expect(modern.methods).not.toContain('server/discover');
  expect(new Set(modern.authorizations)).toEqual(new Set(['Bearer the-token-of-the-server']));
});

test('calls report progress, and arguments are also sent as headers', async () => {
  const modern = await startModernServer(onTestFinished);
  const server = await world.add({ name: 'steps', transport: 'http', url: modern.url });
  const { replica } = await world.start();
  const [result] = await world.turn([server], [['steps__steps', { region: 'north' }]]);
  expect(result).toMatchObject({ result: 'in north' });
  expect(modern.headers.at(-1)?.get('mcp-param-region')).toBe('north');
  const shown = replica.shown.parts.flatMap(({ part }) =>
    part.type === 'tool-result' && part.result_delta !== undefined ? [part.result_delta] : [],
  );
  expect(shown.join('')).toContain('half');
});

test('a request for input is an error result, because chatd offers no elicitation', async () => {
  const modern = await startModernServer(onTestFinished);
  const server = await world.add({ name: 'asks', transport: 'http', url: modern.url });
  await world.start();
  const [result] = await world.turn([server], [['asks__ask', {}]]);
  expect(result).toMatchObject({ is_error: true });
  expect(result?.result).toContain('The call of asks failed');
});

test('an interrupt cancels the call', async () => {
  const modern = await startModernServer(onTestFinished);
  const server = await world.add({ name: 'waits', transport: 'http', url: modern.url });
  const { replica } = await world.start();
  world.provider.answer(answer([toolCall('waits__wait', {}, { id: 'toolu_w' })]));
  const id = await world.ask([server]);
  await modern.waiting;
  await replica.store.client.interrupt(id);
  await world.arrives(id);
  await eventually(() => expect(modern.canceled).toEqual(['wait']));
});

test('tools that a server adds are available after its notification', async () => {
  const modern = await startModernServer(onTestFinished);
  const server = await world.add({ name: 'grown', transport: 'http', url: modern.url });
  await world.start();
  world.script([['grown__ping', {}]]);
  const id = await world.ask([server]);
  await world.arrives(id);
  await eventually(() => expect(modern.methods).toContain('subscriptions/listen'));
  modern.addTool('pong');
  await eventually(async () => {
    world.provider.answer(answer([says('I see.')]));
    await world.say(id);
    await world.arrives(id);
    expect(world.offered()).toContain('grown__pong');
  });
});

test('an older server is probed once, not once per chat', async () => {
  const methods: string[] = [];
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished, {
    before: (request) => {
      const version = request.headers['mcp-protocol-version'];
      methods.push(`${request.method ?? ''} ${String(version)}`);
      return false;
    },
  });
  const server = await world.add({ name: 'older', transport: 'http', url: own.url });
  await world.start();
  for (const _ of [1, 2]) {
    const [result] = await world.turn([server], [['older__ping', {}]]);
    expect(result).toMatchObject({ result: 'ping ran' });
  }
  expect(own.begun).toHaveLength(2);
  expect(methods.filter((method) => method === 'POST 2026-07-28')).toHaveLength(1);
});

/** A program that exits if the first request is not `initialize`, like servers of some older SDKs. */
const STRICT = `
const { createInterface } = require('node:readline');
const answers = {
  initialize: { protocolVersion: '2025-06-18', serverInfo: { name: 'strict', version: '1' }, capabilities: { tools: {} } },
  'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'ping ran' }] },
};
let isFirst = true;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (isFirst && method !== 'initialize') process.exit(1);
  isFirst = false;
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));
});
`;

test('a program that exits on the probe is restarted with the older protocol', async () => {
  const file = join(await makeTemporaryDirectory(), 'strict.cjs');
  await writeFile(file, STRICT);
  const program = { command: process.execPath, args: [file] };
  const server = await world.add({ name: 'strict', transport: 'stdio', ...program });
  await world.start();
  const [result] = await world.turn([server], [['strict__ping', {}]]);
  expect(result).toMatchObject({ result: 'ping ran' });
});
