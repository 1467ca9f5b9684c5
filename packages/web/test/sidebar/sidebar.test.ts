import { answer, gate, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasFocus } from '../composer/pages.ts';
import { openSite } from '../support/site.ts';
import { aFinishedChat, chatCalled, list, row, settled, SOON, titles } from './rows.ts';

const site = await openSite();

test('changes by another client appear live in icon, name and position', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Atlas');
  await aFinishedChat(site, api, 'Borealis');
  await row(page, 'Borealis', 'Idle, unread').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Borealis', 'Atlas']);

  const pause = gate();
  site.provider.answer(answer([text(['Well', pause, ', yes.'])]));
  const { id } = await chatCalled(api, 'Atlas');
  await api.ok('sendMessage', { params: { chat_id: id }, body: { content: 'Again' } });
  await row(page, 'Atlas', 'Working').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Atlas', 'Borealis']);

  await pause.reached;
  await api.ok('interruptChat', { params: { chat_id: id } });
  await row(page, 'Atlas', 'Interrupted').waitFor();

  await api.ok('updateChat', { params: { chat_id: id }, body: { title: 'Atlas 2', pin_order: 5 } });
  await list(page).getByRole('heading', { name: 'Pinned' }).waitFor();
  await row(page, 'Atlas 2').waitFor();
  await api.ok('deleteChat', { params: { chat_id: id } });
  await row(page, 'Atlas 2').waitFor({ state: 'detached' });
});

const LEAD = 'First measure the beds, and write down how much light each of them gets.';

test('a search finds titles and messages, shows the matching text, and reports no matches', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Garden plans');
  await aFinishedChat(site, api, 'Shopping', `${LEAD} Then buy rhododendrons and compost.`);
  await row(page, 'Shopping').waitFor();
  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type('rhodo');
  await list(page).getByText('1 chat found').waitFor();
  await expect.poll(() => titles(page), SOON).toEqual(['Shopping']);
  const hit = row(page, 'Shopping');
  await hit.getByText('buy rhododendrons and compost.').waitFor();
  expect(await hit.locator('mark').allInnerTexts()).toEqual(['rhododendrons']);
  expect(await hit.innerText()).not.toContain('First');
  const field = page.getByRole('searchbox', { name: 'Search chats' });
  await field.fill('garden');
  await list(page).getByText('1 chat found').waitFor();
  // Into the list, back to the field, and into the list again.
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowDown']) {
    await page.keyboard.press(key);
    await hasFocus(key === 'ArrowUp' ? field : row(page, 'Garden plans'));
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Garden plans' }).waitFor();
  await field.fill('unheard-of');
  await list(page).getByText('No matching chats').waitFor();
  await field.press('Escape');
  await row(page, 'Shopping').waitFor();
});

test('a chat is renamed in place, by keyboard, and from its header', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Draft');
  await row(page, 'Draft').focus();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title' }).fill('Report');
  await page.keyboard.press('Enter');
  await hasFocus(row(page, 'Report'));

  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Report (rename)' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Final report');
  await page.keyboard.press('Enter');
  await row(page, 'Final report').waitFor();
  await expect
    .poll(async () => (await api.ok('getChat', { params: { chat_id: id } })).title, SOON)
    .toBe('Final report');
});

test('deleting a chat can be undone and restores its page', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Precious');
  await row(page, 'Precious').click();
  await page.getByRole('heading', { name: 'Precious' }).waitFor();
  await page.getByRole('button', { name: 'Chat actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await row(page, 'Precious').waitFor({ state: 'detached' });
  await page.waitForURL(`${site.url}/`);
  expect(await api.refusal('getChat', { params: { chat_id: id } })).toBe('404 not_found');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForURL(`**/chats/${id}`);
  await row(page, 'Precious').waitFor();
});

test('a running chat is not deleted, and the notice gives the reason and offers to stop it', async () => {
  const { page, api } = await site.visit('/');
  const pause = gate();
  site.provider.answer(answer([text(['On', pause, ' it.'])]));
  const { id } = await api.ok('createChat', { body: { content: 'Work', title: 'Busy' } });
  await pause.reached;
  await row(page, 'Busy', 'Working').focus();
  await page.keyboard.press('Delete');
  const notice = page.getByRole('listitem').filter({ hasText: '“Busy” could not be deleted' });
  await notice.getByRole('button', { name: 'Stop turn' }).click();
  await row(page, 'Busy', 'Interrupted').waitFor();
  expect((await settled(api, id)).interrupted).toBe(true);
});

test('a chat is pinned by dragging it to the top, and unpinned by dragging it away', async () => {
  const { page, api } = await site.visit('/');
  for (const title of ['One', 'Two', 'Three']) await aFinishedChat(site, api, title);
  // Wait until no more events move them.
  await row(page, 'Three', 'Idle').waitFor();
  await drag(page, 'One', 'Drop here to pin');
  await list(page).getByRole('heading', { name: 'Pinned' }).waitFor();
  // Onto the upper half of the pinned chat: before it.
  await row(page, 'Two').dragTo(row(page, 'One'), { targetPosition: { x: 40, y: 4 } });
  await expect.poll(() => titles(page), SOON).toEqual(['Two', 'One', 'Three']);
  const pinOrder = async (title: string) => (await chatCalled(api, title)).pin_order;
  await expect.poll(() => pinOrder('Two'), SOON).toBeGreaterThan(0);
  await expect.poll(() => pinOrder('One'), SOON).toBeGreaterThan(await pinOrder('Two'));
  await row(page, 'Two').dragTo(row(page, 'Three'));
  await expect.poll(() => pinOrder('Two'), SOON).toBe(0);
});

async function drag(page: Page, title: string, onto: string) {
  await row(page, title).hover();
  await page.mouse.down();
  await page.mouse.move(100, 300);
  const zone = page.getByText(onto);
  await zone.hover();
  await zone.hover();
  await page.mouse.up();
}
