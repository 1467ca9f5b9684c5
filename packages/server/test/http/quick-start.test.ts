import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);

/** The code blocks of a document, in order. */
async function blocks(file: string): Promise<string[]> {
  const text = await readFile(join(ROOT, file), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
}

test('the commands of the quick start work as written', async () => {
  expect((await blocks('README.md'))[0]).toBe('npm start\n');
  const quickStart = await blocks('docs/quick-start.md');
  const at = quickStart.findIndex((code) => code.endsWith('npm start\n'));
  const [start = '', create = '', read = ''] = quickStart.slice(at);
  expect(start.trim()).toBe('CHATD_ADMIN_TOKEN=change-me-0123456789 npm start');
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataDir = await mkdtemp(join(directory, 'with a space '));

  // The default port may be in use, so the test changes only the port.
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

  // All commands run in one shell, as a user types them.
  const typed = `${create}\necho ---\n${read}`.replaceAll('http://127.0.0.1:7717', url);
  const { stdout } = await run('bash', ['-uc', typed], { cwd: directory });
  const [stream = '', answer = ''] = stdout.split('---\n');
  const events = stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; message?: { role: string } });
  const said = events.flatMap(({ message }) => message?.role ?? []);
  expect(said).toEqual(['user', 'assistant']);
  expect(events.at(-1)).toMatchObject({ type: 'status', status: 'waiting' });
  const { messages } = JSON.parse(answer) as { messages: unknown };
  expect(messages).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant' },
  ]);
}, 240_000);
