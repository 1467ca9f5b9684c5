import { expect, test } from 'vitest';
import { aFinishedChat, row } from '../sidebar/rows.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';

const site = await openSite();

test('a deleted chat is restored from the palette after its notice is gone', async () => {
  const { page, api } = await site.visit('/');
  const { id } = await aFinishedChat(site, api, 'Lost');
  await row(page, 'Lost').focus();
  await page.keyboard.press('Delete');
  await page.getByText('“Lost” deleted').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'What should we work on?' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('restore');
  const restore = { name: 'Restore deleted chat “Lost”', selected: true };
  await page.getByRole('option', restore).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/chats/${id}`);
  await row(page, 'Lost').waitFor();
});

test('IME keys and keys of an open dialog are not commands', async () => {
  const { page } = await site.visit('/');
  await page.getByRole('link', { name: 'New chat' }).focus();
  await page.evaluate(() =>
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'k',
        code: 'KeyK',
        ctrlKey: true,
        isComposing: true,
        bubbles: true,
      }),
    ),
  );
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('navigation', { name: 'Chats' }).isVisible()).toBe(true);
  await page.keyboard.press('Control+b');
  await page.getByRole('navigation', { name: 'Chats' }).waitFor({ state: 'detached' });
});

test.each([
  ['light', 1280],
  ['dark', 320],
] as const)('the palette is accessible: %s, %i px wide', async (colorScheme, width) => {
  const { page, api } = await site.visit('/', {
    role: 'admin',
    colorScheme,
    viewport: { width, height: 720 },
  });
  await aFinishedChat(site, api, 'Some chat');
  await page.getByRole('heading', { name: 'What should we work on?' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /Some chat/ }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  await page.getByRole('combobox').fill('keyboard');
  await page.getByRole('option', { name: /Keyboard shortcuts/ }).click();
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wider).toBe(false);
});
