import { answer, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { SECTIONS, sectionsFor } from '../../src/settings/section-list.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';

vi.setConfig({ testTimeout: 900_000 });

const site = await openSite();
const ids = SECTIONS.map(({ id }) => id);
const EDITORS = [
  ...['providers', 'models', 'mcp-servers', 'templates'].map((id) => `${id}?edit=new`),
  ...['schedule', 'webhook'].map((kind) => `triggers?edit=new-${kind}`),
];
const PAGES = [...ids, ...EDITORS, `models?edit=${site.modelConfigId}`];

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${site.url}/settings/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Loading…').waitFor({ state: 'hidden' });
}

/** An item in every list. */
async function fill(): Promise<void> {
  const { admin } = site.server;
  await admin.ok('createToken', { body: { name: 'ci', scopes: ['read'] } });
  await admin.ok('updateSettings', {
    body: {
      approvals: [{ pattern: 'execute', action: 'ask' }],
      spend_limit_micros: 5_000_000,
      debug_record: { enabled: true, retention_hours: 24 },
    },
  });
  await admin.ok('createMachine', { body: { name: 'builder', labels: { zone: 'a' } } });
  await admin.ok('createMcpServer', {
    body: { name: 'issues', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds no serious issue on any page, ${colorScheme}`, async () => {
    await fill().catch(() => {});
    const { page, api } = await site.visit('/settings/about', { role: 'admin', colorScheme });
    site.provider.answer(answer([text('Good afternoon.')]));
    await api.ok('createChat', { body: { content: 'Hello', title: 'A chat' } });
    const found: string[] = [];
    for (const path of PAGES) {
      await open(page, path);
      found.push(...(await seriousIssues(page)).map((issue) => `${path}: ${issue}`));
    }
    expect(found).toEqual([]);
  });
}

test('no page scrolls sideways at 320 px, and all are reachable from the page menu', async () => {
  const viewport = { width: 320, height: 640 };
  const { page } = await site.visit('/settings/appearance', { role: 'admin', viewport });
  const sideways: string[] = [];
  const measure = async (path: string) => {
    const over = await page.evaluate(() =>
      [...document.querySelectorAll('main, body')].map((one) => one.scrollWidth - one.clientWidth),
    );
    if (over.some((pixels) => pixels > 0)) sideways.push(path);
  };
  await page.getByRole('heading', { level: 1, name: 'Appearance' }).waitFor();
  for (const { id, title } of SECTIONS) {
    await page.getByLabel('Settings page').selectOption(id);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await measure(id);
  }
  for (const path of EDITORS) {
    await open(page, path);
    await measure(path);
  }
  expect(sideways).toEqual([]);
});

test('a member sees only their own pages, also by URL', async () => {
  const { page } = await site.visit('/settings/appearance');
  const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  await links.first().waitFor();
  const titles = sectionsFor('member').map(({ title }) => title);
  expect(await links.allTextContents()).toEqual(titles);
  expect(titles).not.toContain('Providers');
  await page.goto(`${site.url}/settings/providers`);
  await page.getByText('or is only for admins').waitFor();
});

test('the command palette lists every page', async () => {
  const { page } = await site.visit('/', { role: 'admin' });
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('spend limits');
  await page.getByRole('option', { name: 'Settings: Spend limits', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Spend limits' }).waitFor();
});
