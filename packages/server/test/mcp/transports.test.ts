import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { McpServerRow } from '../../src/store/mcp-servers.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { everythingProgram, filesystemProgram, startEverything } from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

describe.each(['stdio', 'http', 'sse'] as const)('server-everything over %s', (transport) => {
  let server: McpServerRow;
  const stops: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(stops.map((stop) => stop())));
  beforeAll(async () => {
    const name = `everything-${transport}`;
    const where =
      transport === 'stdio'
        ? everythingProgram
        : { url: (await startEverything(transport, (stop) => stops.push(stop))).url };
    server = await world.add({ name, transport, ...where });
  });
  const named = (tool: string) => `everything-${transport}__${tool}`;

  test('tools are offered as server__tool and return results', async () => {
    await world.start();
    const results = await world.turn(
      [server],
      [
        [named('echo'), { message: 'hello' }],
        [named('get-sum'), { a: 2, b: 3 }],
        [named('get-structured-content'), { location: 'Chicago' }],
      ],
    );
    expect(world.offered(-2)).toEqual(expect.arrayContaining([named('echo'), named('get-sum')]));
    expect(results.map(({ result }) => result)).toEqual([
      'Echo: hello',
      'The sum of 2 and 3 is 5.',
      '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}',
    ]);
    expect(results.some(({ is_error }) => is_error)).toBe(false);
  });

  test('images become files, and resources are included', async () => {
    await world.start();
    const [image, links, text] = await world.turn(
      [server],
      [
        [named('get-tiny-image'), {}],
        [named('get-resource-links'), { count: 2 }],
        [named('get-resource-reference'), { resourceType: 'Text', resourceId: 1 }],
      ],
    );
    expect(image).toMatchObject({ is_media: true, file_ids: [expect.any(String)] });
    expect(image?.result).toContain('The image above is the MCP logo.');
    expect(links?.result).toContain('[resource Blob Resource 1 <demo://');
    expect(text?.result).toMatch(/\[resource <demo:\/\/[^>]+>\]\nResource 1: This is a plaintext/);
  });

  test('progress is shown while a call runs', async () => {
    const { replica } = await world.start();
    await world.turn(
      [server],
      [[named('trigger-long-running-operation'), { duration: 0.2, steps: 2 }]],
    );
    const shown = replica.shown.parts.flatMap(({ part }) =>
      part.type === 'tool-result' && part.result_delta !== undefined ? [part.result_delta] : [],
    );
    expect(shown.join('')).toContain('1 of 2\n');
  });

  test('invalid arguments are an error result, and the turn continues', async () => {
    await world.start();
    const [refused] = await world.turn([server], [[named('get-sum'), { a: 'two' }]]);
    expect(refused).toMatchObject({ is_error: true });
    expect(refused?.result).toContain('arguments are invalid');
  });
});

test('a program does not inherit the environment, and gets its own variables unexpanded', async () => {
  process.env['CHATD_TEST_SECRET'] = 'not for others';
  const server = await world.add({
    name: 'env',
    ...everythingProgram,
    env: { GIVEN: '$HOME `id` $(id)' },
  });
  await world.start();
  const [env] = await world.turn([server], [['env__get-env', {}]]);
  delete process.env['CHATD_TEST_SECRET'];
  const shown = JSON.parse(env?.result as string) as Record<string, string>;
  // Redaction matches only the exact value, so the program got it unexpanded.
  expect(shown['GIVEN']).toBe('[hidden]');
  const {
    PATH: _,
    HOME: __,
    GIVEN: ___,
    PWD: ____,
    SHLVL: _____,
    OLDPWD: ______,
    ...others
  } = shown;
  expect(Object.keys(others).filter((name) => name !== '_')).toEqual([]);
});

test('server-filesystem reads and writes in its folder, and refuses paths outside it', async () => {
  const folder = await realpath(await makeTemporaryDirectory());
  await mkdir(join(folder, 'notes'));
  await writeFile(join(folder, 'notes', 'a.txt'), 'Alpha');
  const server = await world.add({ name: 'files', ...filesystemProgram(folder) });
  await world.start();
  const results = await world.turn(
    [server],
    [
      ['files__read_text_file', { path: join(folder, 'notes', 'a.txt') }],
      ['files__write_file', { path: join(folder, 'b.txt'), content: 'Beta' }],
      ['files__list_directory', { path: folder }],
      ['files__read_text_file', { path: '/etc/hostname' }],
    ],
  );
  expect(JSON.stringify(results[0]?.result)).toContain('Alpha');
  expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('Beta');
  expect(JSON.stringify(results[2]?.result)).toContain('[DIR] notes');
  expect(results[3]).toMatchObject({ is_error: true });
  expect(results[3]?.result).toContain('Access denied');
});
