import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiClient } from '@chatd/test-server';
import { openWorkshop, type Visit } from '../panel/workshop.ts';
import { seriousIssues } from '../support/axe.ts';
import { settled, timeline } from './conversation.ts';
import { richChat } from './rich-chat.ts';
import { storeChat } from './stored-chat.ts';
import { checkpointScene, gitScene, projectScene } from './work-scenes.ts';

/**
 * To update those of the docs, run `CHATD_TEST_ALL=1 CHATD_SCREENSHOTS=1 npm run vitest -- --project web run
 * screenshots`.
 */
const folder =
  process.env['CHATD_SCREENSHOTS'] === '1'
    ? join(import.meta.dirname, '../../../../docs/images')
    : join(tmpdir(), 'chatd-screenshots');
await mkdir(folder, { recursive: true });

const workshop = await openWorkshop();
const { site } = workshop;

const { admin } = site.server;
await admin.ok('updateSettings', { body: { allow_chat_links: true } });
const people = ['ada', 'grace', 'linus'].map((username) =>
  admin.ok('createUser', { body: { username } }),
);
const add = (await Promise.all(people)).map(({ id }) => id);
for (const [name, spend_limit_micros] of [
  ['Research', 500_000_000],
  ['Support', null],
] as const) {
  const { id } = await admin.ok('createGroup', { body: { name, spend_limit_micros } });
  await admin.ok('updateGroupMembers', { params: { group_id: id }, body: { add } });
}

await admin.ok('createMachine', { body: { name: 'builder-1', labels: { zone: 'a' } } });

/** The user of every picture. The next one has a new account with this name. */
const NAME = 'robin';

async function deleteAfterwards(api: ApiClient): Promise<void> {
  const { id: user_id } = await api.ok('getMe');
  onTestFinished(() => admin.ok('deleteUser', { params: { user_id } }));
}
const { users } = await admin.ok('listUsers');
for (const { id, username } of users) {
  if (/^(?:stranger|user)-/.test(username)) {
    await admin.ok('deleteUser', { params: { user_id: id } });
  }
}

const screens = [
  { name: 'desktop', viewport: { width: 1440, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  { name: 'narrow', viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
  { name: '4k', viewport: { width: 3840, height: 2160 } },
].flatMap((screen) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme })),
);

/** The others are only checked. */
const isKept = ({ name }: { readonly name: string }) => name === 'desktop' || name === 'phone';

test.each(screens)(
  'a chat on $name, $colorScheme',
  { timeout: 120_000 },
  async ({ name, colorScheme, ...options }) => {
    const { page, api } = await site.visit('/', { ...options, colorScheme, username: NAME });
    await deleteAfterwards(api);
    const { store } = site.server;
    const title = 'Fix the rate limiter';
    const id = await storeChat(store, api, site.modelConfigId, richChat(), title);
    await page.goto(`${site.url}/chats/${id}`);
    await timeline(page).getByText('Done: the replicas').waitFor();
    await settled(page);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('body, [data-timeline]')].some(
        (element) => element.scrollWidth > element.clientWidth,
      ),
    );
    expect(wide).toBe(false);
    const keep = isKept({ name });
    if (keep) await page.screenshot({ path: join(folder, `chat-${name}-${colorScheme}.png`) });
    expect(await seriousIssues(page)).toEqual([]);
    await timeline(page).evaluate((element) => element.scrollTo({ top: 0 }));
    await highlighted(page);
    await settled(page);
    if (keep)
      await page.screenshot({ path: join(folder, `chat-answer-${name}-${colorScheme}.png`) });
  },
);

/** Highlights come from a worker. */
const highlighted = (page: Page) =>
  page.waitForFunction(() => (CSS.highlights.get('code-keyword')?.size ?? 0) > 0);

const ADMIN_SECTIONS = [
  'providers',
  'models',
  'usage',
  'machines',
  'users',
  'groups',
  'audit-log',
  'tokens',
  'webhooks',
  'notifications',
];

const SCENES: readonly {
  readonly scene: string;
  readonly role?: 'admin';
  readonly show: (visit: Visit, phone: boolean) => Promise<unknown>;
}[] = [
  {
    scene: 'first-page',
    show: async ({ page }) => {
      await page.goto(workshop.site.url);
      await page.getByRole('heading', { name: /what should we work on/i }).waitFor();
    },
  },
  { scene: 'approval', show: askForApproval },
  {
    scene: 'changes',
    show: async ({ page, open }) => {
      await open('Changes');
      await page.getByText('3 files').waitFor();
      await highlighted(page);
    },
  },
  {
    scene: 'files',
    show: async ({ page, open }) => {
      await open('Files');
      await page.getByRole('treeitem', { name: 'README.md' }).click();
      await page.getByText('Sells things.').waitFor();
    },
  },
  {
    scene: 'terminal',
    show: async ({ page, open }) => {
      await open('Terminal');
      await page.getByText('Connected').waitFor();
      await page.keyboard.type('ls\n');
      await expect
        .poll(() => page.locator('.xterm-rows').innerText(), { timeout: 15_000 })
        .toMatch(/README\.md/);
    },
  },
  {
    scene: 'search',
    show: async ({ page }, phone) => {
      if (phone) await page.getByRole('button', { name: 'Show chat list' }).click();
      await page.getByRole('searchbox', { name: 'Search chats' }).fill('louder');
      await page.getByRole('status').getByText('1 chat found').waitFor();
    },
  },
  { scene: 'git', show: await gitScene(workshop) },
  { scene: 'checkpoint', show: checkpointScene(workshop) },
  { scene: 'project', show: projectScene(workshop) },
  { scene: 'share', show: shareChat },
  {
    scene: 'shared-link',
    show: async (visit) => {
      const link = await shareChat(visit);
      await visit.page.context().clearCookies();
      await visit.page.goto(link);
      await visit.page.getByText('Shared, read-only').waitFor();
      await visit.page.getByText('Done.').waitFor();
    },
  },
  ...ADMIN_SECTIONS.map((section) => ({
    scene: section === 'providers' ? 'settings' : `settings-${section}`,
    role: 'admin' as const,
    show: async ({ page, api }: Visit) => {
      await api.ok('createWebhook', {
        body: { url: 'http://127.0.0.1:1/events', events: ['chat.waiting', 'chat.error'] },
      });
      await page.goto(`${workshop.site.url}/settings/${section}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'hidden' });
    },
  })),
  {
    scene: 'settings-triggers',
    show: async ({ page, api }) => {
      await addTriggers(api);
      await page.goto(`${workshop.site.url}/settings/triggers`);
      await page.getByText('No runs yet').last().waitFor();
    },
  },
  {
    scene: 'settings-trigger',
    show: async ({ page, api }) => {
      await page.goto(`${workshop.site.url}/settings/triggers?edit=${await addTriggers(api)}`);
      await page.getByRole('region', { name: 'Next times' }).waitFor();
    },
  },
  {
    scene: 'sign-in',
    show: async ({ page }) => {
      await page.context().clearCookies();
      await page.goto(workshop.site.url);
      await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
    },
  },
  {
    scene: 'sign-in-oidc',
    show: async ({ page }) => {
      const oidc = { name: 'Example Corp', path: '/oidc/start' };
      await page.route('**/sign-in-methods', (route) =>
        route.fulfill({ json: { password: true, oidc } }),
      );
      await page.context().clearCookies();
      await page.goto(workshop.site.url);
      await page.getByRole('link', { name: 'Sign in with Example Corp' }).waitFor();
    },
  },
];

test.each(
  screens.filter(isKept).flatMap((screen) => SCENES.map((scene) => ({ ...screen, ...scene }))),
)(
  '$scene on $name, $colorScheme',
  { timeout: 120_000 },
  async ({ name, colorScheme, scene, role, show, ...options }) => {
    const visit = await workshop.visit({
      ...options,
      colorScheme,
      username: NAME,
      ...(role && { role }),
    });
    await deleteAfterwards(visit.api);
    await show(visit, name === 'phone');
    await visit.page.evaluate(() => document.fonts.ready);
    const wide = await visit.page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(wide).toBe(false);
    await visit.page.screenshot({ path: join(folder, `${scene}-${name}-${colorScheme}.png`) });
    expect(await seriousIssues(visit.page)).toEqual([]);
  },
);

/** A schedule and a webhook. Returns the ID of the schedule. */
async function addTriggers(api: ApiClient): Promise<string> {
  const { id } = await api.ok('createTrigger', {
    body: {
      kind: 'schedule',
      name: 'Nightly update',
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      prompt: 'Update the dependencies and run the tests.',
    },
  });
  await api.ok('createTrigger', {
    body: {
      kind: 'webhook',
      name: 'Answer issues',
      prompt: 'Answer the issue {{payload.issue.title}}.',
      verify: { type: 'github' },
    },
  });
  return id;
}

/** Opens the dialog with a user and a link. Returns the link. */
async function shareChat({ page, chatId }: Visit): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Share chat' });
  await page.goto(`${workshop.site.url}/chats/${chatId}`);
  await page.getByRole('button', { name: 'Share chat' }).click();
  await dialog.getByLabel('User name').fill('grace');
  await dialog.getByLabel('Role', { exact: true }).selectOption('editor');
  await dialog.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByLabel('Role of grace').waitFor();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  return await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
}

async function askForApproval({ page, api, workspaceId }: Visit): Promise<void> {
  await api.ok('updateApprovals', { body: { approvals: [{ pattern: 'execute', action: 'ask' }] } });
  workshop.site.provider.answer(
    answer([
      toolCall('read_file', { path: 'README.md' }),
      toolCall('read_file', { path: 'src/greet.ts' }),
      toolCall('list_files', { path: 'src' }),
    ]),
    answer([
      text('The greeting is ready. I publish the new version with the release script.'),
      toolCall('execute', { command: 'npm version minor && npm publish --access public' }),
    ]),
  );
  const chat = await api.ok('createChat', {
    body: { content: 'Release it.', title: 'Release the greeting', workspace_id: workspaceId },
  });
  await page.goto(`${workshop.site.url}/chats/${chat.id}`);
  await page.getByRole('button', { name: /^Deny/ }).first().waitFor();
}
