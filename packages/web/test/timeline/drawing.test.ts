import { answer, gate, text } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { drawnAgain, watchDrawing } from '../support/drawn.ts';
import { openSite } from '../support/site.ts';
import { script, send, settled, timeline } from './conversation.ts';
import { longStory, said, storeChat, type StoredMessage } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);

/** Highlights come from a worker that loads first, older messages from the server. */
const SLOWLY = { timeout: 15_000 };

const keysOf = (page: Page) =>
  page
    .locator('[data-timeline] [data-key]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key') ?? ''));

/** Waits until all is rendered, including the model name below each answer. */
async function complete(page: Page): Promise<void> {
  await timeline(page).getByText('Sonnet').last().waitFor();
  await settled(page);
}

test('a change to a chat renders its sidebar row and nothing of the conversation', async () => {
  const { page, api } = await site.visit('/');
  const stored = (title: string) =>
    storeChat(site.server.store, api, site.modelConfigId, longStory(20), title);
  const other = await stored('Another one');
  const id = await stored('A story');
  await watchDrawing(page);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 19.').waitFor();
  await page.getByRole('link', { name: 'Another one' }).waitFor();
  await complete(page);
  await drawnAgain(page);

  await api.ok('updateChat', { params: { chat_id: id }, body: { title: 'A tale' } });
  await page.getByRole('heading', { name: 'A tale' }).waitFor();
  await page.getByRole('link', { name: 'A tale' }).waitFor();
  const { rows, chats } = await drawnAgain(page);
  expect(rows).toEqual([]);
  expect(chats).toContain(id);
  expect(chats).not.toContain(other);
});

test('a committed answer keeps its elements, and nothing before it renders again', async () => {
  const end = gate();
  const paragraphs = Array.from({ length: 16 }, (_, at) => `Paragraph ${at} with *words*.\n\n`);
  answers.push(answer([text([...paragraphs, end, 'The last words.'])]));
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(6));
  await watchDrawing(page);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 5.').waitFor();
  await complete(page);
  const before = await keysOf(page);
  await send(page, 'Go on');
  await timeline(page).getByText('Paragraph 15 with words.').waitFor();
  await settled(page);
  const live = (await keysOf(page)).filter((key) => key.startsWith('live-'));
  expect(live.length).toBeGreaterThan(1);
  await page.evaluate(() => {
    for (const part of document.querySelectorAll('[data-key^="live-"] :is(p, em)')) {
      part.setAttribute('data-seen', '');
    }
  });
  const seen = await page.locator('[data-seen]').count();
  await drawnAgain(page);

  end.release();
  await timeline(page).getByText('The last words.').waitFor();
  await page.locator('[data-key^="live-"] ~ [data-row="turn-end"]').waitFor();
  await settled(page);
  const { rows } = await drawnAgain(page);
  expect(rows).toContain(live.at(-1));
  expect(rows.filter((key) => before.includes(key) && key !== 'start' && key !== 'tail')).toEqual(
    [],
  );
  expect(await page.locator('[data-seen]').count()).toBe(seen);
  expect((await keysOf(page)).filter((key) => key.startsWith('live-'))).toEqual(live);
});

test('streaming code is highlighted up to its end', async () => {
  const middle = gate();
  answers.push(answer([text(['```ts\nconst a = nu', middle, 'll;\nreturn a;\n```\n\nDone.'])]));
  const { page } = await site.visit('/');
  await send(page, 'Some code');
  const words = (kind: string) =>
    page.evaluate((name) => {
      const ranges = [...(CSS.highlights.get(`code-${name}`) ?? [])];
      return ranges.map(({ startContainer, startOffset, endOffset }) =>
        startContainer.textContent?.slice(startOffset, endOffset),
      );
    }, kind);
  await expect.poll(() => words('keyword'), SLOWLY).toContain('const');
  middle.release();
  await timeline(page).getByText('Done.').waitFor();
  await expect.poll(() => words('constant'), SLOWLY).toEqual(['null']);
  await expect.poll(() => words('keyword'), SLOWLY).toContain('return');
});

test('expanded cards stay expanded after scrolling away and back', async () => {
  const call: StoredMessage[] = [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', tool_call_id: 'one', tool_name: 'look_up', args: { q: 'it' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          tool_call_id: 'one',
          tool_name: 'look_up',
          result: 'What was found',
        },
      ],
    },
  ];
  const { page, api } = await site.visit('/');
  const story = [said('user', 'Look it up'), ...call, ...longStory(50)];
  const id = await storeChat(site.server.store, api, site.modelConfigId, story);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 49.').waitFor();
  const top = () => timeline(page).evaluate((scroller) => scroller.scrollTo({ top: 0 }));
  const card = page.getByRole('region', { name: 'Tool look_up' });
  await expect.poll(async () => (await top(), await card.isVisible()), SLOWLY).toBe(true);
  await settled(page);
  await card.getByRole('button', { expanded: false }).click();
  await card.getByText('What was found').waitFor();
  await page.keyboard.press('Alt+End');
  await timeline(page).getByText('The end of 49.').waitFor();
  await settled(page);
  await card.waitFor({ state: 'detached' });
  await top();
  await card.getByText('What was found').waitFor();
});
