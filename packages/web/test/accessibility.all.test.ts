import { answer, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { SECTIONS } from '../src/settings/section-list.ts';
import { openWorkshop, type Visit } from './panel/workshop.ts';
import { settled } from './sidebar/rows.ts';
import { seriousIssues } from './support/axe.ts';
import { smallTargets } from './support/targets.ts';
import { richChat } from './timeline/rich-chat.ts';
import { storeChat } from './timeline/stored-chat.ts';

vi.setConfig({ testTimeout: 900_000 });

const workshop = await openWorkshop();
const { site } = workshop;

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const SCREENS = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'phone', options: PHONE },
] as const;

const EDITORS = [
  ...['providers', 'models', 'mcp-servers', 'templates'].map((id) => `${id}?edit=new`),
  ...['schedule', 'webhook'].map((kind) => `triggers?edit=new-${kind}`),
];
const SETTINGS = [...SECTIONS.map(({ id }) => id), ...EDITORS].map((path) => `/settings/${path}`);
const PANELS = ['Changes', 'Git', 'Terminal', 'Desktop', 'Files', 'Ports', 'Details', 'Debug'];

/** The lines of a diff, and the hidden field of the terminal, which is focused by a touch anywhere in it. */
const DENSE = /^(?:Comment on (?:\w+ )?line \d+|Terminal input): /;

/** Ends the session, or leaves the page. */
const SKIPPED = /sign out|go back|download|export|open in new/i;
const POPUP = '[role=dialog]:visible, [role=alertdialog]:visible, [role=menu]:visible';

const issuesOf = async (page: Page, touch: boolean): Promise<string[]> => [
  ...(await seriousIssues(page)),
  ...(touch ? (await smallTargets(page)).filter((target) => !DENSE.test(target)) : []),
];

/** Runs axe on the page (on touch screens, it also measures the controls), and on every dialog and menu that one of its buttons opens. */
async function walk(
  page: Page,
  path: string,
  touch: boolean,
  seen: Set<string>,
): Promise<string[]> {
  const place = new URL(path, site.url).href;
  const open = async () => {
    await page.goto(place);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.getByText('Loading…').waitFor({ state: 'hidden' });
  };
  const found: string[] = [];
  const check = async (where: string) => {
    found.push(...(await issuesOf(page, touch)).map((issue) => `${where}: ${issue}`));
  };
  await open();
  await check(path);
  const buttons = page.locator('button:visible:enabled');
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim()),
  );
  for (const [index, name] of names.entries()) {
    // The same button of another row or page opens the same dialog.
    const kind = name.replaceAll(/[“"].*[”"]|\d+/g, '');
    if (name === '' || SKIPPED.test(name) || seen.has(kind)) continue;
    seen.add(kind);
    // Some are behind others, such as those of the composer on phones.
    await buttons
      .nth(index)
      .click({ timeout: 2000 })
      .catch(() => undefined);
    const popup = page.locator(POPUP).last();
    const opened = await popup.waitFor({ timeout: 500 }).then(
      () => true,
      () => false,
    );
    if (opened) await check(`${path}: ${name}`);
    await open();
  }
  return found;
}

/** A chat with every kind of row, one that waits for an approval, one with a workspace, a project, and an item in every list. */
async function fill({ api, chatId, workspaceId }: Visit): Promise<string[]> {
  const { admin, store } = site.server;
  await admin.call('createMachine', { body: { name: 'builder', labels: { zone: 'a' } } });
  await admin.call('createGroup', { body: { name: 'Research' } });
  await admin.ok('updateSettings', { body: { allow_chat_links: true } });
  await admin.call('createMcpServer', {
    body: { name: 'issues', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
  });
  await api.ok('createToken', { body: { name: 'ci', scopes: ['read'] } });
  await api.ok('createWebhook', {
    body: { url: 'http://127.0.0.1:1/events', events: ['chat.waiting'] },
  });
  const prompt = 'Update the dependencies.';
  await api.ok('createTrigger', {
    body: { kind: 'schedule', name: 'Nightly', cron: '0 3 * * *', timezone: 'UTC', prompt },
  });
  await api.ok('createTrigger', {
    body: { kind: 'webhook', name: 'Issues', prompt, verify: { type: 'github' } },
  });
  // The turn has a checkpoint.
  site.provider.answer(
    answer([toolCall('write_file', { path: 'notes.txt', content: 'one\n' })]),
    answer([text('Written.')]),
  );
  const changing = await api.ok('createChat', {
    body: { content: 'Take notes', title: 'Notes', workspace_id: workspaceId },
  });
  await settled(api, changing.id);
  await api.ok('updateApprovals', { body: { approvals: [{ pattern: 'execute', action: 'ask' }] } });
  site.provider.answer(answer([toolCall('execute', { command: 'npm publish' })]));
  const asking = await api.ok('createChat', { body: { content: 'Release it', title: 'Release' } });
  const rich = await storeChat(store, api, site.modelConfigId, richChat(), 'Rich');
  const project = await api.ok('createProject', { body: { name: 'Shop' } });
  return [
    ...[rich, asking.id, changing.id, chatId].map((id) => `/chats/${id}`),
    `/projects/${project.id}`,
    '/chats/nonsense',
    '/no/such/page',
  ];
}

/** An earlier walk pressed every button, including the one that pauses placement. */
async function resumePlacement(): Promise<void> {
  const { machines } = await site.server.admin.ok('listMachines');
  for (const { id } of machines.filter(({ draining }) => draining)) {
    await site.server.admin.ok('updateMachine', {
      params: { machine_id: id },
      body: { draining: false },
    });
  }
}

/** Three parts: one test for everything takes longer than a busy machine allows. */
describe.each(SCREENS)('axe finds no serious issue, $name', ({ options }) => {
  const touch = 'hasTouch' in options;
  const seen = new Set<string>();
  const visitAsAdmin = async () => {
    await resumePlacement();
    return await workshop.visit({ role: 'admin', ...options });
  };
  const walkAll = async (page: Page, paths: readonly string[]) => {
    const found: string[] = [];
    for (const path of paths) found.push(...(await walk(page, path, touch, seen)));
    return found;
  };

  test('on chats, projects, and pages that are not found', async () => {
    const visit = await visitAsAdmin();
    expect(await walkAll(visit.page, ['/', ...(await fill(visit))])).toEqual([]);
  });

  test('in the settings', async () => {
    const visit = await visitAsAdmin();
    await fill(visit);
    expect(await walkAll(visit.page, SETTINGS)).toEqual([]);
  });

  test('in the side panel, and without an account', async () => {
    const { page, api, chatId, open } = await visitAsAdmin();
    await site.server.admin.ok('updateSettings', { body: { allow_chat_links: true } });
    const { link } = await api.ok('replaceChatSharing', {
      params: { chat_id: chatId },
      body: { grants: [], link: {} },
    });
    const found: string[] = [];
    const check = async (where: string) => {
      const issues = await issuesOf(page, touch);
      found.push(...issues.map((issue) => `${where}: ${issue}`));
    };
    for (const tab of PANELS) {
      await open(tab);
      await page.getByText('Loading…').waitFor({ state: 'hidden' });
      await check(tab);
    }
    await page.context().clearCookies();
    await page.goto(site.url);
    await page.getByRole('heading', { name: 'Sign in to chatd' }).waitFor();
    await check('sign-in');
    await page.goto(link?.url ?? '');
    await page.getByText('Shared, read-only').waitFor();
    await check('shared link');
    expect(found).toEqual([]);
  });
});
