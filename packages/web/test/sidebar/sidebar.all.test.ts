import { answer, gate, text, toolCall } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { statement } from '../../../server/src/store/statement.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { aFinishedChat, chatCalled, list, row, SOON, titles } from './rows.ts';

const site = await openSite();
/** For long tests on a busy machine. */
const LONG = { timeout: 120_000 };

const insertChats = statement<{ owner_id: string; model_config_id: string }, never>(
  'test-insert-chats',
  `INSERT INTO chats (id, owner_id, status, title, model_config_id, active_at,
                      snapshot_version, history_version, queue_version)
   SELECT gen_random_uuid(), :owner_id, 'waiting', 'Chat ' || number, :model_config_id,
          now() - number * interval '1 minute', 1, 1, 0
     FROM generate_series(1, 2000) AS number`,
);

test('only visible rows of two thousand chats are rendered', LONG, async () => {
  const { page, api } = await site.visit('/');
  const { id } = await api.ok('getMe');
  await site.server.store.database.query(insertChats, {
    owner_id: id,
    model_config_id: site.modelConfigId,
  });
  await page.reload();
  await row(page, 'Chat 1 ').waitFor();
  expect(await list(page).getByRole('link').count()).toBeLessThan(80);
  const scroll = () =>
    list(page)
      .locator('ul')
      .evaluate((ul) => ul.parentElement?.scrollTo(0, ul.parentElement.scrollHeight));
  await expect
    .poll(async () => {
      await scroll();
      return (await titles(page)).at(-1);
    }, LONG)
    .toBe('Chat 2000');
  expect(await list(page).getByRole('link').count()).toBeLessThan(80);
  // Activity in an old chat moves it to the top.
  site.provider.answer(answer([text('Here.')]));
  const old = await api.ok('listChats', { query: { q: 'Chat 1500' } });
  const params = { chat_id: old.chats[0]?.id ?? '' };
  await api.ok('sendMessage', { params, body: { content: 'Still there?' } });
  await list(page)
    .locator('ul')
    .evaluate((ul) => ul.parentElement?.scrollTo(0, 0));
  await expect.poll(async () => (await titles(page))[0], SOON).toBe('Chat 1500');
});

test('subagents are nested below their parent, live, and link back to it', LONG, async () => {
  const { page } = await site.visit('/');
  const pause = gate();
  site.provider.answer(
    answer([toolCall('spawn_agent', { prompt: 'Look into the cellar' })]),
    answer([text(['Looking', pause, ' down.'])]),
    answer([text('Sent.')]),
  );
  await page.getByRole('textbox', { name: 'Message' }).fill('Search the house');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^1 subagent of/ }).click();
  await row(page, 'Look into the cellar').waitFor();
  pause.release();
  await row(page, 'Look into the cellar', 'Idle').click();
  await page.getByRole('link', { name: /^Go to/ }).click();
  await page.getByRole('button', { name: /\(rename\)$/ }).waitFor();
  expect(await row(page, 'Look into the cellar').isVisible()).toBe(true);
});

test('labels are added, shown, and filter the list', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Plain');
  await aFinishedChat(site, api, 'Marked');
  await row(page, 'Marked').focus();
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Labels' }).click();
  await page.getByLabel('Name of label 1').fill('not legal!');
  await page.keyboard.press('Enter');
  await page.getByText('Use letters, digits').waitFor();
  await page.getByLabel('Name of label 1').fill('team');
  await page.getByLabel('Value of label 1').fill('ops');
  await page.keyboard.press('Enter');
  await row(page, 'Marked', 'team: ops').waitFor();
  await expect
    .poll(async () => (await chatCalled(api, 'Marked')).labels, SOON)
    .toEqual({ team: 'ops' });
  await page.getByRole('button', { name: 'Filter chats' }).click();
  await page.getByRole('menuitem', { name: 'Label' }).click();
  await page.getByRole('menuitemradio', { name: 'team: ops' }).click();
  await row(page, 'Plain').waitFor({ state: 'detached' });
  expect(await titles(page)).toEqual(['Marked']);
  await page.getByRole('button', { name: 'Filter chats' }).click();
  await page.getByRole('menuitem', { name: 'Cost' }).click();
  await page.getByRole('menuitemradio', { name: '$1.00 or more' }).click();
  await list(page).getByText('No chats match the filter.').waitFor();
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await row(page, 'Plain').waitFor();
});

test('an archived chat is hidden, found by search, and unarchived', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Attic');
  await row(page, 'Attic').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await row(page, 'Attic').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Archived' }).click();
  await row(page, 'Attic').waitFor();
  await page.getByRole('searchbox').fill('attic');
  await row(page, 'Attic', 'archived').waitFor();
  await page.getByRole('searchbox').fill('');
  await row(page, 'Attic').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Unarchive' }).click();
  await list(page).getByRole('heading', { name: 'Today' }).waitFor();
});

test('a chat is forked with its history', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Original', 'The one and only.');
  await row(page, 'Original').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Fork' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/chats/') && !url.pathname.includes(id));
  await page.getByRole('main').getByText('The one and only.').waitFor();
});

test('visible chats are marked as read, others stay unread', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Seen');
  await aFinishedChat(site, api, 'Unseen');
  await row(page, 'Seen', 'unread').click();
  await page.getByRole('main', { name: 'Conversation' }).getByText('Done.').waitFor();
  await expect.poll(async () => (await chatCalled(api, 'Seen')).has_unread, SOON).toBe(false);
  expect((await chatCalled(api, 'Unseen')).has_unread).toBe(true);
});

test('the tab title shows that a chat needs attention while the page is hidden', async () => {
  const { page, api } = await site.visit('/');
  await page.getByRole('heading', { name: 'What should we work on?' }).waitFor();
  await setVisibility(page, 'hidden');
  site.provider.answer(answer([toolCall('door', { open: true })]));
  await api.ok('createChat', {
    body: {
      content: 'Open the door',
      title: 'Door',
      dynamic_tools: [{ name: 'door', description: 'Opens', input_schema: { type: 'object' } }],
    },
  });
  await row(page, 'Door', 'Needs input').waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
  expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(
    /\/assets\/icon-attention-/,
  );
  await setVisibility(page, 'visible');
  expect(await page.title()).not.toMatch(/^\(/);
});

/** Simulates the visibility, because tests cannot hide a page in Chromium. */
const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((visibility) => {
    Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

test('a disconnected list says so, reconnects, and catches up', LONG, async () => {
  const { page, api } = await site.visit('/');
  const sockets: { close(): Promise<void> }[] = [];
  let cut = false;
  await page.routeWebSocket(/\/api\/v1\/watch/, (socket) => {
    if (cut) void socket.close();
    else {
      sockets.push(socket);
      socket.connectToServer();
    }
  });
  await page.reload();
  await aFinishedChat(site, api, 'Stays');
  const gone = await aFinishedChat(site, api, 'Goes');
  await row(page, 'Goes').waitFor();
  cut = true;
  await Promise.all(sockets.map((socket) => socket.close()));
  await page.getByText('Connection lost.').waitFor();
  await api.ok('deleteChat', { params: { chat_id: gone.id } });
  await aFinishedChat(site, api, 'Comes');
  cut = false;
  await page.getByRole('button', { name: 'Retry now' }).click();
  await row(page, 'Comes').waitFor();
  await row(page, 'Goes').waitFor({ state: 'detached' });
  expect(await titles(page)).toEqual(['Comes', 'Stays']);
});

test('the list is fully usable by keyboard', LONG, async () => {
  const { page, api } = await site.visit('/');
  for (const title of ['First', 'Second', 'Third']) await aFinishedChat(site, api, title);
  await row(page, 'Third').waitFor();
  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.press('ArrowDown');
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await expect.poll(focused, SOON).toContain('Third');
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused, SOON).toContain('Second');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).waitFor();
  await page.keyboard.type('pin');
  await expect.poll(focused, SOON).toMatch(/^Pin/);
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(page), SOON).toEqual(['Second', 'Third', 'First']);
  await row(page, 'First').focus();
  await page.keyboard.press('ContextMenu');
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).waitFor();
  await page.keyboard.type('pin');
  await expect.poll(focused, SOON).toMatch(/^Pin/);
  await page.keyboard.press('Enter');
  await expect.poll(() => titles(page), SOON).toEqual(['Second', 'First', 'Third']);
  await expect.poll(focused, SOON).toContain('First');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => titles(page), SOON).toEqual(['First', 'Second', 'Third']);
  await expect.poll(focused, SOON).toContain('First');
  await page.keyboard.press('Delete');
  await expect.poll(() => titles(page), SOON).toEqual(['Second', 'Third']);
  await expect.poll(focused, SOON).toContain('Second');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  expect(await row(page, 'Second').getAttribute('aria-current')).toBe('page');
});

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 320],
  ['dark', 320],
] as const)('the sidebar is accessible: %s, %i px wide', LONG, async (colorScheme, width) => {
  const { page, api } = await site.visit('/', { colorScheme, viewport: { width, height: 720 } });
  const title = 'مرحبا 🦀 A-title-without-any-place-to-break-'.repeat(3).slice(0, 120);
  const chat = await aFinishedChat(site, api, title);
  const params = { chat_id: chat.id };
  await api.ok('updateChat', {
    params,
    body: { labels: { team: 'ops'.repeat(30) }, pin_order: 3 },
  });
  await aFinishedChat(site, api, 'Another');
  await page.goto(`${site.url}/chats/${chat.id}`);
  await page.getByRole('main', { name: 'Conversation' }).getByText('Done.').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  if (width === 320) await page.getByRole('button', { name: 'Show chat list' }).click();
  await row(page, 'Another').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  expect(await overflow(page)).toEqual([]);
});

/** Elements wider than the page. */
const overflow = (page: Page) =>
  page.evaluate(() =>
    [document.documentElement, document.body, ...document.querySelectorAll('nav, header, main')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 80)),
  );
