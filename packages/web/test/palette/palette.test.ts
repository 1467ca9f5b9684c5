import { expect, test } from 'vitest';
import { aFinishedChat, row } from '../sidebar/rows.ts';
import { openSite } from '../support/site.ts';

const site = await openSite();

test('the palette finds a command by name and runs it, from any text field', async () => {
  const { page, api } = await site.visit('/');
  await aFinishedChat(site, api, 'Harbour');
  await row(page, 'Harbour').click();
  await page.getByRole('heading', { name: 'Harbour' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('pin chat');
  await page.getByRole('option', { name: 'Pin chat', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('rename');
  await page.getByRole('option', { name: /Rename chat/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).fill('Port');
  await page.keyboard.press('Enter');
  await row(page, 'Port').waitFor();
});

test('the palette finds chats by their messages', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Lighthouse', 'The lamp burns paraffin.');
  await row(page, 'Lighthouse').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('paraffin');
  const option = page.getByRole('option', { name: /Lighthouse/, selected: true });
  await option.locator('mark', { hasText: 'paraffin' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(
    (url) => url.pathname === `/chats/${id}` && url.searchParams.has('message'),
  );
});

test('a question mark shows the keyboard shortcuts, except in text fields', async () => {
  const { page } = await site.visit('/');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.focus();
  await page.keyboard.type('Why?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('link', { name: 'New chat' }).focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Toggle chat list').waitFor();
  expect(await help.locator('kbd').allInnerTexts()).toContain('Ctrl+B');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
});
