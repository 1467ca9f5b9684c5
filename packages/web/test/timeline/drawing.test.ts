import { answer, gate, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { drawnAgain, watchDrawing } from '../support/drawn.ts';
import { openSite } from '../support/site.ts';
import { script, send, settled, timeline } from './conversation.ts';
import { longStory, storeChat } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);

const keysOf = (page: Awaited<ReturnType<typeof site.visit>>['page']) =>
  page
    .locator('[data-timeline] [data-key]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key') ?? ''));

test('when something happens to a chat, its row of the list is drawn again, and nothing of what was said', async () => {
  const { page, api } = await site.visit('/');
  const stored = (title: string) =>
    storeChat(site.server.store, api, site.modelConfigId, longStory(20), title);
  const other = await stored('Another one');
  const id = await stored('A story');
  await watchDrawing(page);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 19.').waitFor();
  await page.getByRole('link', { name: 'Another one' }).waitFor();
  await settled(page);
  await drawnAgain(page);

  await api.ok('updateChat', { params: { chat_id: id }, body: { title: 'A tale' } });
  await page.getByRole('heading', { name: 'A tale' }).waitFor();
  await page.getByRole('link', { name: 'A tale' }).waitFor();
  const { rows, chats } = await drawnAgain(page);
  expect(rows).toEqual([]);
  expect(chats).toContain(id);
  expect(chats).not.toContain(other);
});

test('an answer that is committed keeps its elements, and nothing before it is drawn again', async () => {
  const end = gate();
  const paragraphs = Array.from({ length: 30 }, (_, at) => `Paragraph ${at} with *words*.\n\n`);
  answers.push(answer([text([...paragraphs, end, 'The last words.'])]));
  const { page, api } = await site.visit('/');
  const id = await storeChat(site.server.store, api, site.modelConfigId, longStory(6));
  await watchDrawing(page);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('The end of 5.').waitFor();
  const before = await keysOf(page);
  await send(page, 'Go on');
  await timeline(page).getByText('Paragraph 29 with').waitFor();
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
  await timeline(page).getByRole('button', { name: 'Copy answer' }).last().waitFor();
  await settled(page);
  const { rows } = await drawnAgain(page);
  expect(rows.filter((key) => before.includes(key) && key !== 'start' && key !== 'tail')).toEqual(
    [],
  );
  expect(await page.locator('[data-seen]').count()).toBe(seen);
  expect((await keysOf(page)).filter((key) => key.startsWith('live-'))).toEqual(live);
});
