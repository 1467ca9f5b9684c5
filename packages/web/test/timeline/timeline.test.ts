import { answer, gate, reasoning, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
import { seriousIssues } from '../support/axe.ts';
import { script, send, settled, timeline, topOf } from './conversation.ts';
import { longStory, storeChat } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);

test('an answer streams in and is committed without rendering again', async () => {
  const middle = gate();
  answers.push(answer([text(['The first half, ', middle, 'and **the second**.\n\nDone.'])]));
  const { page } = await site.visit('/');
  await send(page, 'Tell me');
  await timeline(page).getByText('The first half,').waitFor();
  await page.evaluate(() => {
    const paragraph = document.querySelector('[data-row="text"] p');
    paragraph?.setAttribute('data-seen', 'yes');
  });
  middle.release();
  await timeline(page).getByText('Done.').waitFor();
  await timeline(page).getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(await page.locator('[data-seen]').textContent()).toBe('The first half, and the second.');
  expect(await page.locator('[data-row="text"]').count()).toBe(1);
  expect(await seriousIssues(page)).toEqual([]);
});

test('a reload in the middle of an answer misses nothing', async () => {
  const middle = gate();
  const parts = Array.from({ length: 60 }, (_, at) => `word${at} `);
  answers.push(answer([text([...parts.slice(0, 30), middle, ...parts.slice(30)])]));
  const { page } = await site.visit('/');
  const lines: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/\/stream\?/, (ws) => {
    ws.connectToServer();
    lines.push(ws);
  });
  await send(page, 'Count');
  await timeline(page).getByText('word29').waitFor();
  await lines[0]?.close();
  middle.release();
  await timeline(page).getByText('word59').waitFor();
  const words = (await page.locator('[data-row="text"]').allInnerTexts()).join(' ').trim();
  expect(words.split(/\s+/)).toEqual(parts.map((part) => part.trim()));
  expect(lines.length).toBeGreaterThan(1);
});

test('the view follows a streaming answer, and keeps its position once the user scrolls up', async () => {
  const middle = gate();
  const paragraphs = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} of the answer.\n\n`);
  answers.push(answer([text([...paragraphs.slice(0, 20), middle, ...paragraphs.slice(20)])]));
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(60));
  await page.goto(`${site.url}/chats/${id}`);
  // A message that takes long to send is shown above the composer, which shrinks the timeline.
  const taken = page.waitForResponse(/\/messages$/);
  await send(page, 'Go on');
  await taken;
  await timeline(page).getByText('Paragraph 19 of').waitFor();
  await settled(page);
  const toEnd = () =>
    timeline(page).evaluate((e) => e.scrollHeight - e.clientHeight - Math.round(e.scrollTop));
  expect(await toEnd()).toBeLessThanOrEqual(1);

  await timeline(page).hover();
  await page.mouse.wheel(0, -700);
  await page.getByRole('button', { name: /Jump to latest/ }).waitFor();
  await settled(page);
  const read = timeline(page).getByText('The end of 59.');
  const before = await topOf(read);
  middle.release();
  await page.getByText(/1 new/).waitFor();
  await settled(page);
  expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1);
  await page.getByRole('button', { name: /Jump to latest/ }).click();
  await timeline(page).getByText('Paragraph 39 of').waitFor();
  await settled(page);
  expect(await toEnd()).toBeLessThanOrEqual(1);
});

test('the view stays at the end when the composer changes its height', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(20));
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 19.').waitFor();
  await settled(page);
  const height = () => timeline(page).evaluate((e) => e.clientHeight);
  const before = await height();
  const message = page.getByRole('textbox', { name: 'Message' });
  // It scrolls in the same frame, as during an answer.
  await message.evaluate((field) => {
    const scroller = document.querySelector('[data-timeline]');
    const changed = new MutationObserver(() => scroller?.scrollBy(0, -1));
    changed.observe(field, { subtree: true, childList: true, characterData: true });
  });
  const jump = page.getByRole('button', { name: /Jump to latest/ });
  await message.fill('A line\n'.repeat(8));
  await expect.poll(height, { timeout: 15_000 }).toBeLessThan(before - 100);
  await settled(page);
  expect(await jump.count()).toBe(0);
  await message.fill('');
  await expect.poll(height, { timeout: 15_000 }).toBe(before);
  await settled(page);
  expect(await jump.count()).toBe(0);
});

test('older messages are prepended without moving the text being read', async () => {
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(300));
  // The test releases them page by page.
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  const holds = [allowed.promise];
  await page.route(/\/messages\?.*before_id/, async (route) => {
    asked.resolve();
    await (holds.shift() ?? looked.promise);
    await route.continue();
  });
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 299.').waitFor();
  await asked.promise;
  await timeline(page).evaluate((e) => e.scrollTo({ top: 300 }));
  await settled(page);
  const first = page.locator('[data-row="user"]').first();
  const words = await first.locator('p').innerText();
  const read = timeline(page).getByText(words, { exact: true });
  const before = await topOf(read);
  const height = () => timeline(page).evaluate((e) => e.scrollHeight);
  const heightBefore = await height();
  allowed.resolve();
  await expect.poll(height, { timeout: 15_000 }).toBeGreaterThan(heightBefore * 2);
  await settled(page);
  expect(Math.abs((await topOf(read)) - before)).toBeLessThanOrEqual(1);
  // Continues up to the beginning.
  looked.resolve();
  const beginning = async () => {
    await timeline(page).evaluate((e) => e.scrollTo({ top: 0 }));
    return await page.getByText('Question 0', { exact: true }).isVisible();
  };
  await expect.poll(beginning, { timeout: 20_000 }).toBe(true);
});

test('reasoning is collapsed to a line with its duration', async () => {
  const middle = gate();
  answers.push(answer([reasoning(['I should ', middle, 'be brief.']), text('Yes.')]));
  const { page } = await site.visit('/');
  await send(page, 'Is it?');
  const line = timeline(page).getByRole('button', { name: /Thinking/ });
  await line.waitFor();
  expect(await page.getByText('I should').count()).toBe(0);
  await line.click();
  await page.getByText('I should').waitFor();
  middle.release();
  await timeline(page)
    .getByRole('button', { name: /Thought for/ })
    .waitFor();
  await page.getByText('I should be brief.').waitFor();
});
