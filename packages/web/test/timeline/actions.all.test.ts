import { answer, fault, gate, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { script, send, settled, timeline, topOf } from './conversation.ts';
import { longStory, said, storeChat } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);
const LONG = 90_000;

test('editing dims later messages and replaces them', { timeout: LONG }, async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(6));
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 5.').waitFor();
  const question = page.getByRole('article').filter({ hasText: 'Question 4' });
  await question.getByRole('button', { name: 'Edit message' }).click();
  await page.locator('[data-row="text"][data-dropped]').first().waitFor();
  const before = page.locator('[data-row="text"]:not([data-dropped])').getByText('The end of 3.');
  expect(await before.isVisible()).toBe(true);
  answers.push(answer([text('Answered anew.')]));
  const box = page.getByRole('textbox', { name: /Message/ });
  expect(await box.inputValue()).toBe('Question 4');
  await box.fill('Another question');
  await page.keyboard.press('Enter');
  await timeline(page).getByText('Answered anew.').waitFor();
  expect(await timeline(page).getByText('The end of 5.').count()).toBe(0);
  expect(await timeline(page).getByText('The end of 3.').count()).toBe(1);
  expect(await page.locator('[data-dropped]').count()).toBe(0);
});

test('an answer is copied, and the chat is forked from it', { timeout: LONG }, async () => {
  const { page, api } = await site.visit('/', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    said('user', 'One'),
    said('assistant', 'The **first** answer.\n\n```js\nlet a = 1;\n```'),
    said('user', 'Two'),
    said('assistant', 'The second answer.'),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The second answer.').waitFor();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy answer' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).first().waitFor();
  expect(await clipboard()).toBe('The **first** answer.\n\n```js\nlet a = 1;\n```');
  await page.getByRole('button', { name: 'Copy code' }).click();
  await expect.poll(clipboard, { timeout: 10_000 }).toBe('let a = 1;');
  await page.getByRole('button', { name: 'Fork from here' }).first().click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await timeline(page).getByText('The first answer.').waitFor();
  expect(await timeline(page).getByText('The second answer.').count()).toBe(0);
});

test('a retry counts down and disappears with the answer', { timeout: LONG }, async () => {
  answers.push(fault.overloaded({ headers: { 'retry-after': '8' } }), answer([text('At last.')]));
  const { page } = await site.visit('/');
  await send(page, 'Are you there?');
  await page.getByRole('region', { name: 'Retry' }).waitFor();
  expect(await page.getByRole('region', { name: 'Retry' }).textContent()).toMatch(/Retrying/);
  await timeline(page).getByText('At last.').waitFor();
  expect(await page.getByRole('region', { name: 'Retry' }).count()).toBe(0);
});

test('an error suggests an action that resolves it', { timeout: LONG }, async () => {
  answers.push(fault.badKey());
  const { page } = await site.visit('/', { role: 'admin' });
  await send(page, 'Hello?');
  const card = page.locator('[data-error-kind="auth"]');
  await card.waitFor();
  expect(await card.getByRole('button', { name: 'Open providers' }).isVisible()).toBe(true);
  expect(await seriousIssues(page)).toEqual([]);
  answers.push(answer([text('Now it works.')]));
  await card.getByRole('button', { name: 'Try again' }).click();
  await timeline(page).getByText('Now it works.').waitFor();
  expect(await page.locator('[data-error-kind]').count()).toBe(0);
  expect(await page.getByRole('article').count()).toBe(1);
});

test('an interrupted answer is marked', { timeout: LONG }, async () => {
  const middle = gate();
  answers.push(answer([text(['Half of an ', middle, 'answer'])]));
  const { page, api } = await site.visit('/');
  await send(page, 'Speak');
  await timeline(page).getByText('Half of an').waitFor();
  const chat_id = page.url().split('/').at(-1) ?? '';
  await api.ok('interruptChat', { params: { chat_id } });
  await page.locator('[data-row="cut-off"]').waitFor();
  expect(await page.locator('[data-row="cut-off"]').textContent()).toContain('Interrupted');
  middle.release();
});

test(
  'keys move between messages, jump to the latest, and find text',
  { timeout: LONG },
  async () => {
    const { page, api } = await site.visit('/');
    const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(200));
    await page.goto(`${site.url}/chats/${id}`);
    await timeline(page).getByText('The end of 199.').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(focused, { timeout: 10_000 }).toContain('Question 198');
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(focused, { timeout: 10_000 }).toContain('Question 196');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(focused, { timeout: 10_000 }).toContain('Question 198');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('button', { name: /Jump to latest/ }).waitFor();
    await page.keyboard.press('Alt+End');
    await expect
      .poll(() => page.getByRole('button', { name: /Jump to latest/ }).count(), { timeout: 10_000 })
      .toBe(0);
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in this chat' }).fill('the end of 57.');
    await expect
      .poll(() => timeline(page).getByText('The end of 57.').isVisible(), { timeout: 20_000 })
      .toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('search', { name: 'Find in this chat' }).count()).toBe(0);
    // Every action of a message by Tab alone.
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('article:focus').waitFor();
    const reached = new Set<string>();
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
      );
    }
    for (const action of ['Copy message', 'Edit message', 'Copy answer', 'Fork from here']) {
      expect([...reached]).toContain(action);
    }
  },
);

test(
  'screen readers hear the start of a turn and its answer, not every word',
  { timeout: LONG },
  async () => {
    const middle = gate();
    answers.push(answer([text(['One ', 'two ', middle, 'three.'], {})]));
    const { page } = await site.visit('/');
    await send(page, 'Count');
    await timeline(page).getByText('One two').waitFor();
    await page.evaluate(() => {
      const heard: string[] = [];
      (globalThis as { heard?: string[] }).heard = heard;
      const announcer = document.querySelector('[data-announcer]');
      if (announcer === null) throw new Error('nothing is read out');
      new MutationObserver(() => heard.push(announcer.textContent)).observe(announcer, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    middle.release();
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    await expect
      .poll(() => page.evaluate(() => (globalThis as { heard?: string[] }).heard), {
        timeout: 10_000,
      })
      .toEqual(['The agent answered: One two three.']);
  },
);

test('expanding a card above does not move the text being read', { timeout: LONG }, async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    ...longStory(4),
    said('user', Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n')),
    ...longStory(4).slice(1),
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 3.').last().waitFor();
  await settled(page);
  const more = page.getByRole('button', { name: 'Show all' });
  await more.scrollIntoViewIfNeeded();
  await settled(page);
  const article = page.getByRole('article').filter({ hasText: 'line 0' });
  const before = await topOf(article);
  await more.click();
  await timeline(page).getByText('line 59').waitFor();
  await settled(page);
  expect(Math.abs((await topOf(article)) - before)).toBeLessThanOrEqual(1);
});
