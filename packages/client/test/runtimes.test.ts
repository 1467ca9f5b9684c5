import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, Script } from 'node:vm';
import { answer, text, toolCall } from '@chatd/testing';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { BROWSER } from './support/browser.ts';
import { setUp } from './support/server.ts';

const { server, fake, token } = await setUp();
const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Runs turns, serves a tool, transfers a file and gets a refusal. The result is the same in every runtime. */
const PROGRAM = `async ({ createClient, runTools }, url, token) => {
  const client = createClient({ url, token });
  const { chat, turn } = await client.chats.begin({ content: 'hello', title: 'A runtime' });
  const first = await turn.result();
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const run = runTools(client, chat.id, { add: { description: 'adds', schema, run: ({ a }) => a + 1 } });
  await run.ready;
  const second = await client.chats.turn(chat.id, 'add').result();
  await run.stop();
  const file = await client.files.upload(new Blob(['grüße']), { name: 'a.txt', type: 'text/plain' });
  const content = await (await client.files.download(file.id)).text();
  const refused = await client.chats.get('00000000-0000-7000-8000-000000000000').catch((error) => error.code);
  return [first.text, second.text, content, refused].join(' | ');
}`;
const SAID = 'Hello. | It is 2. | grüße | not_found';

function script(): void {
  fake.answer(
    answer([text('Hello.')]),
    answer([toolCall('add', { a: 1 }, { id: 'toolu_1' })]),
    answer([text('It is 2.')]),
  );
}

/** The SDK in one file, bundled for runtimes without Node. */
async function bundle(format: 'es' | 'iife'): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: join(ROOT, 'packages/client'),
    resolve: { conditions: ['chatd-source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      minify: false,
      lib: { entry: 'src/index.ts', formats: [format], name: 'chatd' },
    },
  });
  const [first] = Array.isArray(built) ? built : [];
  const [chunk] = first?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  return chunk.code;
}

test('the SDK runs in a browser', { timeout: 120_000 }, async () => {
  script();
  const code = await bundle('es');
  expect(code).not.toMatch(/\bzod\b|node:/i);
  const browser = await chromium.launch(BROWSER);
  onTestFinished(() => browser.close());
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  // Any page of the server's origin.
  await page.goto(`${server.url}/healthz`);
  const said = await page.evaluate(
    `(async () => {
      const module = new Blob([${JSON.stringify(code)}], { type: 'text/javascript' });
      const sdk = await import(URL.createObjectURL(module));
      return await (${PROGRAM})(sdk, undefined, ${JSON.stringify(token)});
    })()`,
  );
  expect(said).toBe(SAID);
});

test('the SDK runs without the APIs of Node', { timeout: 120_000 }, async () => {
  script();
  const code = await bundle('iife');
  // Only what edge runtimes have in common (WinterTC's minimum).
  const globals = {
    AbortController,
    AbortSignal,
    Blob,
    crypto,
    fetch,
    File,
    Headers,
    ReadableStream,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    setTimeout,
    clearTimeout,
  };
  const context = createContext({ ...globals });
  const said: unknown = await new Script(
    `${code}\n(${PROGRAM})(chatd, ${JSON.stringify(server.url)}, ${JSON.stringify(token)});`,
  ).runInContext(context);
  expect(said).toBe(SAID);
});

/** The path of a Node 20 on this machine. */
function node20(): string | undefined {
  for (const candidate of [
    process.env['CHATD_TEST_NODE_20'],
    '/usr/bin/node',
    '/usr/local/bin/node',
  ]) {
    try {
      if (candidate === undefined) continue;
      if (execFileSync(candidate, ['--version'], { encoding: 'utf8' }).startsWith('v20.'))
        return candidate;
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

const oldNode = node20();
if (oldNode === undefined) {
  process.stderr.write(
    '\nNOT TESTED: the built SDK on Node 20: none was found (CHATD_TEST_NODE_20 names one).\n\n',
  );
}

test.skipIf(oldNode === undefined)(
  'the published SDK runs on Node 20',
  { timeout: 120_000 },
  async () => {
    script();
    const run = promisify(execFile);
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-b', 'packages/client'], { cwd: ROOT });
    const program = `
    const sdk = await import(${JSON.stringify(join(ROOT, 'packages/client/dist/index.js'))});
    console.log(await (${PROGRAM})(sdk, ${JSON.stringify(server.url)}, ${JSON.stringify(token)}));
  `;
    const { stdout } = await run(oldNode ?? '', ['--input-type=module', '--eval', program]);
    expect(stdout.trim()).toBe(SAID);
  },
);
