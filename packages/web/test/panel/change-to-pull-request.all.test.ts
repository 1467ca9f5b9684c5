import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@chatd/test-server/eventually';
import { startGitHost } from '@chatd/test-server/git';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { readyWorkspace } from '@chatd/test-server/workspaces';
import { answer, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { openKilledSite } from '../support/killed-site.ts';
import { settled } from '../sidebar/rows.ts';
import { send, timeline } from '../timeline/conversation.ts';

const TOKEN = 'token-of-the-journey-0123456789';
const REPOSITORY = 'acme/shop';

const dataDir = await makeTemporaryDirectory();
afterAll(() => rm(dataDir, { recursive: true, force: true }));
const host = await startGitHost(TOKEN);
await host.repositories.create(REPOSITORY, { 'README.md': 'A shop.\n', 'name.txt': 'Shop\n' });
const site = await openKilledSite(dataDir, { NODE_EXTRA_CA_CERTS: host.certificate });
const { provider, admin } = site;
const template = await admin.ok('createTemplate', {
  body: {
    name: 'shop',
    driver: 'host',
    source: { git: { url: `https://${host.host}/${REPOSITORY}.git` } },
  },
});

/** What the agent writes for each message. */
const WORK: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Rename the shop': { 'name.txt': 'Store\n', 'price.txt': '5\n' },
  'Translate it': { 'name.txt': 'Laden\n', 'README.md': 'Ein Laden.\n' },
  'Translate the README only': { 'README.md': 'Ein Laden namens Store.\n' },
  'Raise the price': { 'price.txt': '6\n' },
};

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly input?: { readonly path?: string };
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

const blocksOf = (content: string | Block[]): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Answers from the prompt alone, because a killed server asks again: the next file for the last message, then a text. */
provider.answerWith(({ body }) => {
  const messages = body['messages'] as { role: string; content: string | Block[] }[];
  const blocks = messages.flatMap(({ role, content }) =>
    blocksOf(content).map((block) => ({
      role,
      ...block,
    })),
  );
  const asked = blocks.findLastIndex(
    ({ role, text: said }) => role === 'user' && said !== undefined && said in WORK,
  );
  const message = blocks[asked]?.text ?? '';
  if (body['tools'] === undefined || message === '') return answer([text('The shop')]);
  const since = blocks.slice(asked);
  const succeeded = new Set(
    since.flatMap(({ tool_use_id, is_error }) => (is_error === true ? [] : [tool_use_id])),
  );
  const written = new Set(
    since.flatMap(({ id, input }) => (id !== undefined && succeeded.has(id) ? [input?.path] : [])),
  );
  const next = Object.entries(WORK[message] ?? {}).find(([path]) => !written.has(path));
  if (next === undefined) return answer([text(`“${message}” is done.`)]);
  const [path, content] = next;
  return answer([toolCall('write_file', { path, content })]);
});

test('a change becomes a pull request, with kill -9 after each acknowledged step', async () => {
  const { page, api } = await site.visit('/');
  await api.ok('createGitConnection', {
    body: { host: host.host, kind: 'github', token: TOKEN, repositories: [REPOSITORY] },
  });
  const workspace_id = await readyWorkspace(api, template.id);
  const { id: chat_id } = await api.ok('createChat', {
    body: { content: 'Hello', title: 'Rename the shop', workspace_id },
  });
  const params = { chat_id };
  await settled(api, chat_id);
  await page.goto(`${site.url}/chats/${chat_id}`);
  await page.getByRole('heading', { name: 'Rename the shop' }).waitFor();

  const fileOf = (path: string) =>
    readFile(join(dataDir, 'workspaces', workspace_id, 'files', path), 'utf8');
  const files = async () => ({
    name: await fileOf('name.txt'),
    price: await fileOf('price.txt'),
    readme: await fileOf('README.md'),
  });
  const questions = async () => {
    const { messages } = await api.ok('listMessages', { params });
    return messages.flatMap(({ role, content }) =>
      role === 'user' ? content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    );
  };
  const done = async (message: string) => {
    await timeline(page).getByText(`“${message}” is done.`).waitFor();
    await settled(api, chat_id);
  };
  const sent = /^POST \/api\/v1\/chats\/[^/]+\/messages$/;

  expect(await site.killAfter(page, sent, () => send(page, 'Rename the shop'))).toBe(201);
  await done('Rename the shop');
  const first = { name: 'Store\n', price: '5\n', readme: 'A shop.\n' };
  expect(await files()).toEqual(first);

  expect(await site.killAfter(page, sent, () => send(page, 'Translate it'))).toBe(201);
  await done('Translate it');
  expect(await files()).toEqual({ name: 'Laden\n', price: '5\n', readme: 'Ein Laden.\n' });
  expect(await questions()).toEqual(['Hello', 'Rename the shop', 'Translate it']);

  const { checkpoints } = await api.ok('listCheckpoints', { params });
  expect(checkpoints[0]).toMatchObject({ kind: 'step', files: 2, additions: 2, deletions: 2 });
  // The diff of the second turn. It is the same after a kill.
  const change = page.getByRole('button', { name: /added \+2 removed −2 in 2 files/ });
  const dialog = page.getByRole('dialog', { name: 'Changes of this turn: 2 files' });
  const diff = /^GET \/api\/v1\/chats\/[^/]+\/checkpoints\/[^/]+\/diff$/;
  expect(await site.killAfter(page, diff, () => change.click())).toBe(200);
  await dialog.getByRole('region', { name: 'README.md' }).getByText('Ein Laden.').waitFor();
  await page.reload();
  await change.click();
  await dialog.getByRole('region', { name: 'name.txt' }).getByText('Laden').waitFor();

  const restore = dialog.getByRole('button', { name: 'Restore to before this turn' });
  const restored = /^POST \/api\/v1\/chats\/[^/]+\/checkpoints\/[^/]+\/restore$/;
  expect(await site.killAfter(page, restored, () => restore.click())).toBe(200);
  expect(await files()).toEqual(first);
  await page.reload();

  const question = page.getByRole('article', { name: /^You/ }).filter({ hasText: 'Translate it' });
  await question.hover();
  await question.getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Translate the README only');
  const edited = /^PATCH \/api\/v1\/chats\/[^/]+\/messages\/[^/]+$/;
  expect(await site.killAfter(page, edited, () => page.keyboard.press('Enter'))).toBe(200);
  await done('Translate the README only');
  expect(await questions()).toEqual(['Hello', 'Rename the shop', 'Translate the README only']);
  expect(await files()).toEqual({ ...first, readme: 'Ein Laden namens Store.\n' });

  expect(await site.killAfter(page, sent, () => send(page, 'Raise the price'))).toBe(201);
  await done('Raise the price');
  const last = { name: 'Store\n', price: '6\n', readme: 'Ein Laden namens Store.\n' };
  expect(await files()).toEqual(last);

  await page.getByRole('button', { name: 'Side panel', exact: true }).click();
  await page.getByRole('tab', { name: 'Git', exact: true }).click();
  const panel = page.getByRole('region', { name: 'Side panel' });
  await panel.getByText('3 uncommitted files').waitFor();
  const push = panel.getByRole('button', { name: 'Commit and push' });
  const pushed = /^POST \/api\/v1\/chats\/[^/]+\/git\/push$/;
  expect(await site.killAfter(page, pushed, () => push.click())).toBe(200);
  const [repository] = (await api.ok('getChatGit', { params })).repositories;
  const branch = repository?.branch ?? '';
  expect(repository).toMatchObject({ pushed: true, ahead: 0, behind: 0, uncommitted: 0 });
  expect(branch).toMatch(/^chatd\/rename-the-shop-/);
  expect(await host.repositories.commit(REPOSITORY, branch)).toBe(repository?.head);
  const atHost = (path: string) => host.repositories.git(REPOSITORY, 'show', `${branch}:${path}`);
  expect(`${await atHost('README.md')}\n`).toBe(last.readme);
  expect(`${await atHost('price.txt')}\n`).toBe(last.price);
  expect(`${await atHost('name.txt')}\n`).toBe(last.name);

  const open = panel.getByRole('button', { name: 'Open pull request' });
  const opened = /^POST \/api\/v1\/chats\/[^/]+\/git\/pull-requests$/;
  expect(await site.killAfter(page, opened, () => open.click())).toBe(201);
  await panel.getByRole('link', { name: 'Rename the shop #1' }).waitFor();
  expect(host.repositories.pulls(REPOSITORY)).toMatchObject([{ branch, base: 'main' }]);
  await eventually(async () => {
    const [after] = (await api.ok('getChatGit', { params })).repositories;
    expect(after?.pull_request).toMatchObject({ number: 1, state: 'open' });
  });
  expect(site.kills).toBe(8);
}, 600_000);
