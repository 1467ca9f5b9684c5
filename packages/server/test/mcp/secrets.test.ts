import { afterEach, expect, onTestFinished, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { dump } from '@chatd/test-server/database';
import { everythingProgram, type OwnTool, said, startOwnServer } from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

const TOKEN = 'tok-4f9a0c77e2b1d5';
const VALUE = 'val-9b3e6d21aa80cf';

test.each([
  ['bearer', { type: 'bearer', token: TOKEN }, 'authorization', `Bearer ${TOKEN}`],
  ['header', { type: 'header', name: 'X-Api-Key', value: VALUE }, 'x-api-key', VALUE],
] as const)(
  'a %s secret is sent to the server and never shown',
  async (name, auth, header, sent) => {
    const secret = sent.replace('Bearer ', '');
    // A server that leaks its secret in a result and in an error.
    const leak: OwnTool = { name: 'leak', run: () => said(`I was told ${secret}.`) };
    const fail: OwnTool = {
      name: 'fail',
      run() {
        throw new Error(`bad key ${secret}`);
      },
    };
    const own = await startOwnServer([leak, fail], onTestFinished);
    const server = await world.add({ name, transport: 'http', url: own.url, auth });
    await world.start();
    const results = await world.turn(
      [server],
      [
        [`${name}__leak`, {}],
        [`${name}__fail`, {}],
      ],
    );
    expect(own.headers.every((headers) => headers[header] === sent)).toBe(true);
    expect(results[0]?.result).toBe('I was told [hidden].');
    expect(results[1]).toMatchObject({ is_error: true });
    const seen = (await dump(world.url)) + world.logged.join('') + JSON.stringify(results);
    expect(seen).not.toContain(secret);
  },
);

test('the error of a failed program does not contain secrets of its environment', async () => {
  const server = await world.add({
    name: 'broken',
    command: '/bin/sh',
    args: ['-c', 'echo "cannot work with $API_KEY" >&2; exit 1'],
    env: { API_KEY: VALUE },
  });
  await world.start();
  await world.turn([server], [['broken__x', {}]]);
  expect(world.system()).toContain('cannot work with [hidden]');
  expect((await dump(world.url)) + world.logged.join('')).not.toContain(VALUE);
});

test('secrets can be decrypted only for their own server', async () => {
  const one = await world.add({ name: 'one', ...everythingProgram, env: { API_KEY: VALUE } });
  const other = await world.add({ name: 'other', ...everythingProgram });
  await world.store.database.query(
    statement<{ id: string; secrets: string | null }, never>(
      'steal',
      'UPDATE mcp_servers SET secrets = :secrets WHERE id = :id',
    ),
    { id: other.id, secrets: one.secrets },
  );
  await world.start();
  await world.turn([other], [['other__echo', { message: 'x' }]]);
  expect(world.system()).toContain('its stored secrets cannot be decrypted');
});
