import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { EXIT } from '../src/exit-codes.ts';
import { bash, chatd, launch } from './support/command.ts';
import { fakeModel } from './support/fake-model.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = await startServer();
const { client, env } = server;
const folder = await mkdtemp(join(tmpdir(), 'chatd-run-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const chatOf = (stderr: string) => /^chat ([0-9a-f-]{36})$/m.exec(stderr)?.[1] ?? '';

async function firstMessage(stderr: string) {
  const { messages } = await client.call('listMessages', { params: { chat_id: chatOf(stderr) } });
  return messages[0]!;
}

describe('in a pipe', () => {
  test('stdin is attached, and stdout has only the answer', async () => {
    const line =
      'printf "a change\\n" | chatd run hello | tee out.md | head -1; echo "${PIPESTATUS[*]}"';
    const { stdout, stderr } = await bash(line, { env, cwd: folder });
    expect(stdout).toMatch(/^.+\n0 0 0 0\n$/);
    expect(await readFile(join(folder, 'out.md'), 'utf8')).toContain('show me markdown');
    expect((await firstMessage(stderr)).content).toEqual([
      {
        type: 'file-reference',
        file_name: 'stdin',
        start_line: 1,
        end_line: 1,
        content: 'a change\n',
      },
      { type: 'text', text: 'hello' },
    ]);
  });

  test('a reader that closes the pipe early is not an error', async () => {
    const { stdout, stderr } = await bash(
      'chatd run --json "show me markdown" | head -1; echo "${PIPESTATUS[0]}"',
      { env },
    );
    expect(stdout).toMatch(/^\{"type":"chat","chat_id":"[0-9a-f-]{36}"\}\n0\n$/);
    expect(stderr).not.toContain('EPIPE');
  });

  test('the prompt is read from stdin, and files are attached', async () => {
    const file = join(folder, 'picture.png');
    await writeFile(file, Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
    const { code, stderr } = await chatd(['run', '-', '--file', file], {
      env,
      input: 'hello 你好',
    });
    expect(code).toBe(EXIT.ok);
    expect((await firstMessage(stderr)).content).toMatchObject([
      { type: 'file', media_type: 'image/png', name: 'picture.png' },
      { type: 'text', text: 'hello 你好' },
    ]);
  });
});

describe('exit codes', () => {
  test.each([
    ['hello', [], EXIT.ok, ''],
    ['fail for good', [], EXIT.failed, 'the turn failed: The demo model failed permanently'],
    ['ask me a question', [], EXIT.needs_person, 'Reply in: chatd chat '],
    ['be slow', ['--timeout', '2'], EXIT.timeout, 'the timeout expired'],
    [' ', [], EXIT.usage, 'The prompt is empty'],
    ['hello', ['--model', 'gpt-99'], EXIT.refused, 'There is no model "gpt-99"'],
    ['hello', ['--chat', '00000000-0000-7000-8000-000000000000'], EXIT.refused, 'not_found'],
    ['hello', ['--token', 'wrong-token-0123456789'], EXIT.refused, 'Run chatd login'],
    [
      'hello',
      ['--url', 'http://127.0.0.1:1', '--token', 'x'],
      EXIT.unreachable,
      'Start a server with chatd serve',
    ],
    ['hello', ['--label', 'nonsense'], EXIT.usage, 'is not NAME=VALUE'],
    ['hello', ['--effort', 'hihg'], EXIT.usage, 'Allowed choices are none, minimal, low'],
    ['hello', ['--modle', 'x'], EXIT.usage, 'Did you mean --model?'],
  ] as const)('%s %j ends with %i', async (prompt, flags, code, said) => {
    const ended = await chatd(['run', prompt, ...flags], { env });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(said)]);
  });

  test('match the documentation', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../docs/command.md'), 'utf8');
    const [, section = ''] = /\n## Exit codes\n(.*?)\n## /s.exec(text) ?? [];
    const listed = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(Object.values(EXIT));
  });

  test('a turn that another client interrupts exits with 4', async () => {
    const { ended, said, output, child } = launch(['run', 'be slow'], env);
    child.stdin.end();
    await said('chat ');
    const params = { chat_id: chatOf(output().stderr) };
    await eventually(() => client.call('interruptChat', { params }));
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([EXIT.interrupted, expect.stringContaining('was interrupted')]);
  });

  test('Ctrl-C interrupts the turn and prints its text', async () => {
    const { ended, said, output, child } = launch(['run', 'be slow'], env);
    child.stdin.end();
    await said('chat ');
    const params = { chat_id: chatOf(output().stderr) };
    await eventually(async () =>
      expect((await client.call('getChat', { params })).status).toBe('running'),
    );
    child.kill('SIGINT');
    expect((await ended).code).toBe(EXIT.ctrl_c);
    expect((await client.call('getChat', { params })).status).toBe('waiting');
  });
});

describe('for programs', () => {
  test('--json prints every event, and the result at the end', async () => {
    const { stdout, code } = await chatd(['run', '--json', 'hello', '-l', 'job=17'], { env });
    expect(code).toBe(EXIT.ok);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events[0]).toMatchObject({ type: 'chat' });
    expect(events.filter(({ type }) => type === 'message_part').length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      outcome: 'ok',
      exit_code: 0,
      chat_id: events[0]!['chat_id'],
      text: expect.stringContaining('An admin can add a real model') as string,
    });
    const params = { chat_id: String(events[0]!['chat_id']) };
    expect((await client.call('getChat', { params })).labels).toEqual({ job: '17' });
    // Labels are found in the notation of the command and of the API.
    for (const label of ['job=17', 'job:17']) {
      const found = await chatd(['chats', 'list', '--json', '--label', label], { env });
      expect(JSON.parse(found.stdout)).toMatchObject([{ id: params.chat_id }]);
    }
  });

  test('a chat is continued by the beginning or the end of its ID', async () => {
    const first = await chatd(['run', 'hello'], { env });
    const id = chatOf(first.stderr);
    const second = await chatd(['run', '--chat', id.slice(-12), 'show me markdown'], { env });
    expect(second.stdout).toContain('A table');
    const { messages } = await client.call('listMessages', { params: { chat_id: id } });
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  test('tools that require approval: exit by default, allow or deny with --approve', async () => {
    const approvals = [{ pattern: 'execute', action: 'ask' as const }];
    await client.call('updateApprovals', { body: { approvals } });
    const prompt = 'run a command `echo $((6 * 7))`';
    const asked = await chatd(['run', prompt, '--template', 'empty'], { env });
    expect([asked.code, asked.stderr]).toEqual([
      EXIT.needs_person,
      expect.stringContaining('--approve all'),
    ]);
    const allowed = await chatd(['run', prompt, '--template', 'empty', '--approve', 'all'], {
      env,
    });
    expect([allowed.code, allowed.stdout]).toEqual([EXIT.ok, expect.stringContaining('42')]);
    const denied = await chatd(['run', prompt, '--template', 'empty', '--approve', 'deny'], {
      env,
    });
    expect(denied.code).toBe(EXIT.ok);
    expect(denied.stdout).not.toContain('42');
    await client.call('updateApprovals', { body: { approvals: [] } });
  });

  test('text has no control sequences, JSON is exact', async () => {
    const said = 'a\u001B]0;title\u0007b\u001B[31mc';
    const model = await fakeModel(client, said);
    const text = await chatd(['run', 'x', '-m', model], { env });
    expect(text.stdout).toBe('abc\n');
    const json = await chatd(['run', 'x', '-m', model, '--json'], { env });
    const result = JSON.parse(json.stdout.trimEnd().split('\n').at(-1) ?? '') as { text: string };
    expect(result.text).toBe(said);
    expect(json.stdout).not.toContain('\u001B');
  });
});

test('without a terminal, chat reads and writes plain text', async () => {
  const input = 'ask me a question\n2\nhello\n/quit\nnot this\n';
  const { stdout, stderr, code } = await chatd(['chat'], { env, input });
  expect(code).toBe(EXIT.ok);
  expect(stdout).toContain('? Which color should the button have?');
  expect(stdout).toContain('Green');
  expect(stdout).toContain('Hello! I am the demo model of chatd');
  const { messages } = await client.call('listMessages', { params: { chat_id: chatOf(stderr) } });
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  expect(stdout).not.toContain('\u001B');
});
