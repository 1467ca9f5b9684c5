import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);

/** The code blocks of a document, in order. */
async function blocks(file: string): Promise<string[]> {
  const text = await readFile(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

test('the first example of the README works as it is written', async () => {
  const [, start = '', example = ''] = await blocks('README.md');
  expect(start.trim()).toBe('CHATD_ADMIN_TOKEN=change-me-0123456789 npm start');
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataDir = await mkdtemp(join(directory, 'with a space '));

  // The default port may be in use on the machine that tests: only that is changed.
  const server = spawn('sh', ['-c', `exec env ${start.trim()}`], {
    cwd: ROOT,
    env: { ...process.env, CHATD_DATA_DIR: dataDir, CHATD_LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(server, 'close');
  onTestFinished(async () => {
    process.kill(-(server.pid ?? 0), 'SIGINT');
    await ended;
  });
  let printed = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  while (!printed.includes('chatd is ready at')) await once(server.stdout, 'data');
  const [, url = ''] = /ready at (\S+)/.exec(printed) ?? [];

  const { stdout } = await run('bash', ['-euc', example.replaceAll('http://127.0.0.1:7717', url)]);
  const { messages } = JSON.parse(stdout) as { messages: unknown };
  expect(messages).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'What is a durable conversation?' }] },
  ]);
}, 240_000);
