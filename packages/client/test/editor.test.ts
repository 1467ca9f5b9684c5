import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { type Example, startExample } from './support/example.ts';
import { poll } from './support/poll.ts';

const server = await startTestServer({ concurrency: 8 });

interface RpcMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** Acts like an editor extension: starts the program and speaks JSON-RPC with it. */
class Editor {
  readonly received: RpcMessage[] = [];
  readonly program: Example;

  constructor() {
    this.program = startExample(['examples/editor/main.ts'], {
      CHATD_URL: server.url,
      CHATD_TOKEN: ADMIN_TOKEN,
    });
    createInterface({ input: this.program.child.stdout }).on('line', (line) =>
      this.received.push(JSON.parse(line) as RpcMessage),
    );
  }

  send(message: object): void {
    this.program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async asked(method: string): Promise<RpcMessage> {
    await poll(() => this.received.some((message) => message.method === method)).toBe(true);
    const index = this.received.findIndex((message) => message.method === method);
    return this.received.splice(index, 1)[0]!;
  }

  async untilIdle(): Promise<void> {
    await poll(() => this.received.findLast(({ method }) => method === 'status')?.params).toEqual({
      status: 'waiting',
    });
  }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chatd-editor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'notes.txt'), 'one\n');
  return folder;
}

const WRITE = { text: 'use the tool editor_write to put "two" into notes.txt' };

test('nothing is written before the user allows it', { timeout: 60_000 }, async () => {
  const folder = await newFolder();
  const editor = new Editor();
  editor.send({ id: 1, method: 'open', params: { folder } });
  editor.send({ id: 2, method: 'ask', params: WRITE });

  const refused = await editor.asked('propose_edit');
  expect(refused.params).toEqual({ path: 'notes.txt', before: 'one\n', after: 'two' });
  editor.send({ id: refused.id, result: { allow: false, reason: 'not now' } });
  await editor.untilIdle();
  expect(editor.program.output()).toContain('rejected this change: not now');
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('one\n');

  editor.send({ id: 3, method: 'ask', params: WRITE });
  const allowed = await editor.asked('propose_edit');
  editor.send({ id: allowed.id, result: { allow: true } });
  await poll(() => readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two');
});

test(
  'an editor that was closed during a question is asked again',
  { timeout: 60_000 },
  async () => {
    const folder = await newFolder();
    const before = new Editor();
    before.send({ id: 1, method: 'open', params: { folder } });
    before.send({ id: 2, method: 'ask', params: WRITE });
    await before.asked('propose_edit');
    await before.program.kill();

    const after = new Editor();
    after.send({ id: 1, method: 'open', params: { folder } });
    const again = await after.asked('propose_edit');
    after.send({ id: again.id, result: { allow: true } });
    await after.untilIdle();
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two');
  },
);

test('a link that leads out of the folder is refused', { timeout: 60_000 }, async () => {
  const folder = await newFolder();
  await symlink(tmpdir(), join(folder, 'out'));
  const editor = new Editor();
  editor.send({ id: 1, method: 'open', params: { folder } });
  const text = 'use the tool editor_read with out/secret.txt';
  editor.send({ id: 2, method: 'ask', params: { text } });
  await editor.untilIdle();
  expect(editor.program.output()).toContain('out/secret.txt is outside the open folder');
});
