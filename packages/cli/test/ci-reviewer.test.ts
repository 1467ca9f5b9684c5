import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { COMMAND, environment } from './support/command.ts';
import { fakeModel } from './support/fake-model.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const server = await startServer();
const { client, env } = server;
const folder = await mkdtemp(join(tmpdir(), 'chatd-reviewer-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const SCRIPT = join(import.meta.dirname, '../../../examples/ci-reviewer/review.sh');
const DIFF = 'diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-a === b\n+a = b\n';

async function review(diff: string, more: Readonly<Record<string, string>> = {}) {
  const report = join(folder, 'review.md');
  const child = spawn('sh', [SCRIPT, report], {
    // The command may have several words, as in the README.
    env: environment({ ...env, CHATD: COMMAND.replaceAll("'", ''), ...more }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(diff);
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr, report: await readFile(report, 'utf8') };
}

test('the example runs with the demo model', async () => {
  const { code, stdout, stderr, report } = await review(DIFF, { LABELS: 'pull-request=17' });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(report);
  expect(report).toContain('I am only the demo model');
  const { chats } = await client.call('listChats', { query: { label: 'pull-request:17' } });
  expect(chats).toHaveLength(1);
  const { messages } = await client.call('listMessages', { params: { chat_id: chats[0]!.id } });
  expect(messages[0]!.content[0]).toMatchObject({ type: 'file-reference', content: DIFF });
});

test('a blocking review fails the pipeline, any other passes', async () => {
  const strict = await fakeModel(client, 'a.js:1 assigns.\n\nBLOCK\n');
  const mild = await fakeModel(client, 'Fine. I would not BLOCK it.');
  const blocked = await review(DIFF, { MODEL: strict });
  expect([blocked.code, blocked.report]).toEqual([1, 'a.js:1 assigns.\n\nBLOCK\n']);
  expect(blocked.stderr).toContain('must be fixed before merging');
  expect((await review(DIFF, { MODEL: mild })).code).toBe(0);
});

test('an empty change needs no review, and an unreachable server has its own exit code', async () => {
  expect((await review('')).report).toContain('No changes');
  const away = await review(DIFF, { CHATD_URL: 'http://127.0.0.1:1' });
  expect([away.code, away.stderr]).toEqual([75, expect.stringContaining('cannot be reached')]);
});
