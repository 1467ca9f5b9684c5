import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN, startTestServer } from '@chatd/test-server';
import { type Example, startExample } from './support/example.ts';
import { poll } from './support/poll.ts';

const server = await startTestServer({ concurrency: 8 });

interface Said {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

/** What an extension of an editor does: it starts the program and speaks JSON-RPC with it. */
class Editor {
  readonly said: Said[] = [];
  readonly program: Example;

  constructor() {
    this.program = startExample(['examples/editor/main.ts'], {
      CHATD_URL: server.url,
      CHATD_TOKEN: ADMIN_TOKEN,
    });
    createInterface({ input: this.program.child.stdout }).on('line', (line) =>
      this.said.push(JSON.parse(line) as Said),
    );
  }

  send(message: object): void {
    this.program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async asked(method: string): Promise<Said> {
    await poll(() => this.said.some((said) => said.method === method)).toBe(true);
    const index = this.said.findIndex((said) => said.method === method);
    return this.said.splice(index, 1)[0]!;
  }

  async rests(): Promise<void> {
    await poll(() => this.said.findLast(({ method }) => method === 'status')?.params).toEqual({
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

test('nothing is written before the person has said yes', { timeout: 60_000 }, async () => {
  const folder = await newFolder();
  const editor = new Editor();
  editor.send({ id: 1, method: 'open', params: { folder } });
  editor.send({ id: 2, method: 'ask', params: WRITE });

  const refused = await editor.asked('propose_edit');
  expect(refused.params).toEqual({ path: 'notes.txt', before: 'one\n', after: 'two' });
  editor.send({ id: refused.id, result: { allow: false, reason: 'not now' } });
  await editor.rests();
  expect(editor.program.output()).toContain('rejected this change: not now');
  expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('one\n');

  editor.send({ id: 3, method: 'ask', params: WRITE });
  const allowed = await editor.asked('propose_edit');
  editor.send({ id: allowed.id, result: { allow: true } });
  await poll(() => readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two');
});

test(
  'an editor that was closed in the middle of a question is asked again',
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
    await after.rests();
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two');
  },
);

test('what leads out of the folder is refused, by a link too', { timeout: 60_000 }, async () => {
  const folder = await newFolder();
  await symlink(tmpdir(), join(folder, 'out'));
  const editor = new Editor();
  editor.send({ id: 1, method: 'open', params: { folder } });
  const text = 'use the tool editor_read with out/secret.txt';
  editor.send({ id: 2, method: 'ask', params: { text } });
  await editor.rests();
  expect(editor.program.output()).toContain('out/secret.txt is outside the open folder');
});
