import { answer, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { panelIssues } from './issues.ts';
import { openWorkshop } from './workshop.ts';

const workshop = await openWorkshop();
const panelOf = (page: Page) => page.getByRole('region', { name: 'Side panel' });

test('changed lines are shown and commented on', async () => {
  const { page, open } = await workshop.visit();
  await open('Changes');
  const panel = panelOf(page);
  await panel.getByText('3 files').waitFor();
  const tree = panel.getByRole('tree', { name: 'Changed files' });
  expect(await tree.getByRole('treeitem').allInnerTexts()).toHaveLength(6);
  const file = panel.getByRole('region', { name: 'src/greet.ts' });
  await file.getByText("return `${words.join(', ')}!`;").waitFor();
  expect(await panelIssues(page)).toEqual([]);

  // Split layout and back.
  await panel.getByRole('button', { name: 'Split' }).click();
  await file.getByText("return words.join(', ');").waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Unified' }).click();

  // By keyboard: selects two lines and comments on them.
  await file.getByRole('button', { name: 'Comment on line 1', exact: true }).focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Is one mark enough?');
  await page.keyboard.press('Control+Enter');
  const message = page.getByRole('textbox', { name: 'Message' });
  expect(await message.inputValue()).toBe('src/greet.ts, line 4: Is one mark enough?');
  await page.getByRole('list', { name: 'Referenced lines' }).getByText('greet.ts').waitFor();

  workshop.site.provider.answer(answer([text('Two then.')]));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Two then.').first().waitFor();
  const sent = JSON.stringify(workshop.site.provider.requests.at(-1)?.body);
  expect(sent).toContain('Is one mark enough?');
  expect(sent).toContain('src/greet.ts');
}, 60_000);

test('a terminal works and is restored after a reload', async () => {
  const { page, open } = await workshop.visit();
  await open('Terminal');
  const panel = panelOf(page);
  const screen = panel.locator('.xterm-rows');
  await panel.getByText('Connected').waitFor();
  await page.keyboard.type('echo "sum $((20 + 22))"; ls\n');
  await expect.poll(() => screen.innerText(), { timeout: 15_000 }).toMatch(/sum 42[^]*README\.md/);
  expect(await panelIssues(page)).toEqual([]);
  await page.reload();
  await expect.poll(() => screen.innerText(), { timeout: 15_000 }).toContain('sum 42');
  await panel.getByText('Connected').waitFor();
  await page.keyboard.press('Shift+Escape');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Terminal 1');
});

test('files are browsed and read', async () => {
  const { page, open } = await workshop.visit();
  await open('Files');
  const panel = panelOf(page);
  await panel.getByRole('treeitem', { name: 'src' }).press('ArrowRight');
  await panel.getByRole('treeitem', { name: /^greet\.ts/ }).press('Enter');
  await panel.getByRole('heading', { name: 'src/greet.ts' }).waitFor();
  await panel.getByText('export const version = 2;').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Back to files' }).click();
  await panel.getByRole('searchbox', { name: 'Find file' }).fill('rdme');
  await panel.getByRole('treeitem', { name: 'README.md' }).click();
  await panel.getByText('Sells things.').waitFor();
});

test('the details show context and cost', async () => {
  const { page, open } = await workshop.visit();
  await open('Details');
  const panel = panelOf(page);
  await panel.getByRole('region', { name: 'Cost by model' }).getByText('Sonnet').waitFor();
  await panel.getByText('AGENTS.md').first().waitFor();
  await panel.getByText('/release').waitFor();
  await panel.getByRole('region', { name: 'Workspace' }).getByText('running').waitFor();
  expect(await panelIssues(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Stop' }).click();
  await panel.getByText('stopped').waitFor();
  await open('Terminal');
  await panel.getByRole('button', { name: 'Start workspace' }).click();
  await panel.getByText('Connected').waitFor();
});
