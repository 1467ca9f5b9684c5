import { answer, gate, startFakeProvider, text, webSearch } from '@chatd/testing';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { PRESENT, recordedIn } from '../../../server/test/providers/support/recordings.ts';
import { seriousIssues } from '../support/axe.ts';
import { openSite, type Person } from '../support/site.ts';
import { script, send, settled, timeline } from './conversation.ts';
import { storeChat } from './stored-chat.ts';

const site = await openSite();
const { answers } = script(site.provider);

const results = ['a', 'b', 'c'].map((name) => ({
  url: `https://${name}.example/page`,
  title: `Page ${name}`,
}));
const citing = (words: string, ...names: string[]) =>
  text(words, {
    citations: names.map((name) => ({
      url: `https://${name}.example/page`,
      title: `Page ${name}`,
      citedText: words,
    })),
  });

const search = (page: Page) => page.getByRole('region', { name: 'Web search' });
const sources = (page: Page) => page.getByRole('region', { name: 'Sources' });
const isTooWide = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body, [data-timeline]')].some(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    ),
  );
/** The visible rows of the answer. */
const drawn = (page: Page) =>
  page
    .locator('[data-row="text"], [data-row="tool"], [data-row="sources"]')
    .evaluateAll((rows) => rows.map((row) => row.innerHTML.replaceAll(/«[^»]*»|_r_\w+_/g, '')));

test('a web search is one line, citations are in the text, and each source is listed once', async () => {
  const pause = gate();
  answers.push(
    answer([
      webSearch({ query: 'tech news', results }),
      text('Two things:\n\n- '),
      citing('It rained.', 'b', 'a'),
      text('\n- '),
      citing('It is windy.', 'b'),
      text(['\n\nThat', pause, ' is all.']),
    ]),
  );
  const { page } = await site.visit('/');
  await send(page, 'What is new?');
  await timeline(page).getByText('That').waitFor();
  await timeline(page).getByRole('link', { name: 'Source 1: Page b' }).nth(1).waitFor();
  await settled(page);
  const live = await drawn(page);

  expect(await search(page).innerText()).toBe('Searched the web for “tech news”\n· 3 results');
  expect(await page.getByRole('region', { name: /^Tool / }).count()).toBe(0);
  // A list of the model stays one list.
  const items = timeline(page).locator('[data-row="text"] li');
  expect(await items.allInnerTexts()).toEqual(['It rained.12', 'It is windy.1']);

  pause.release();
  await timeline(page).getByRole('button', { name: 'Copy answer' }).waitFor();
  await timeline(page).getByText('That is all.').waitFor();
  await settled(page);
  const committed = await drawn(page);
  expect(committed.map((row) => row.replace('That is all.', 'That'))).toEqual(live);

  // By keyboard.
  const line = search(page).getByRole('button');
  expect(await line.getAttribute('aria-expanded')).toBe('false');
  await line.press('Enter');
  const found = page.getByRole('list', { name: 'Results' }).getByRole('link');
  expect(await found.allInnerTexts()).toEqual(
    results.map(({ title }, at) => `${title}\n${'abc'[at]}.example`),
  );
  expect(await found.first().getAttribute('target')).toBe('_blank');
  expect(await found.first().getAttribute('rel')).toContain('noreferrer');

  await sources(page).getByRole('button', { name: '2 sources' }).press('Enter');
  const listed = page.getByRole('list', { name: 'Sources' }).getByRole('listitem');
  expect(await listed.allInnerTexts()).toEqual(['1.\nPage b\nb.example', '2.\nPage a\na.example']);
  expect(await seriousIssues(page)).toEqual([]);

  // The same after a reload.
  await page.reload();
  await timeline(page).getByText('That is all.').waitFor();
  await settled(page);
  expect(await drawn(page)).toEqual(committed);
});

/** Another provider, and a chat with its model. */
async function openaiChat({ page, api }: Person): Promise<void> {
  const fake = await startFakeProvider({ api: 'openai-responses', strict: false });
  onTestFinished(() => fake.close());
  fake.answer({ kind: 'recording', lines: recordedLines('openai-responses') });
  const { admin } = site.server;
  const { id: provider_id } = await admin.ok('createProvider', {
    body: { type: 'openai', name: 'OpenAI', base_url: fake.url, api_key: 'sk-any-key' },
  });
  const { id: model_config_id } = await admin.ok('createModelConfig', {
    body: { provider_id, model: 'gpt-5-mini', context_limit: 200_000, web_search: {} },
  });
  const body = { content: 'What is new?', title: 'News', model_config_id };
  const { id } = await api.ok('createChat', { body });
  await page.goto(`${site.url}/chats/${id}`);
}

const recordedLines = (folder: 'anthropic' | 'openai-responses') =>
  recordedIn(folder).find(({ name }) => name === 'web-search-tool.1.jsonl')?.lines ?? [];

const ends = (page: Page) => timeline(page).getByRole('button', { name: 'Copy answer' }).waitFor();

test.runIf(PRESENT)('a recorded Anthropic search: one line, nine marks, four sources', async () => {
  answers.push({ kind: 'recording', lines: recordedLines('anthropic') });
  const { page } = await site.visit('/', { viewport: { width: 390, height: 4000 } });
  await send(page, 'What is new?');
  await ends(page);
  await settled(page);
  expect(await search(page).allInnerTexts()).toEqual([
    'Searched the web for “tech news today September 26 2025”\n· 10 results',
  ]);
  const marks = timeline(page).getByRole('link', { name: /^Source \d+: / });
  expect(await marks.allInnerTexts()).toEqual(['1', '1', '2', '2', '3', '3', '3', '3', '4']);
  await sources(page).getByRole('button', { name: '4 sources' }).waitFor();
  expect(await isTooWide(page)).toBe(false);
  expect(await seriousIssues(page)).toEqual([]);
});

test.runIf(PRESENT)('a recorded OpenAI search: a line per action, sources by title', async () => {
  const person = await site.visit('/', { viewport: { width: 390, height: 4000 } });
  const { page } = person;
  await openaiChat(person);
  await ends(page);
  await settled(page);
  expect(await page.locator('[data-row="tool"]').allInnerTexts()).toEqual([
    'Searched the web for “tech news today December 5 2025”\n· 10 results',
    'Searched the web for “site:theverge.com "December 5, 2025" "technology"”\n· 11 results',
    expect.stringMatching(/^Opened techcrunch\.com\/2025\/12\/05\/petco-/),
    'Searched for “vercel” in wired.com/story/the-big-interview-2025-recap',
    'Searched for “Vercel” in wired.com/story/the-big-interview-2025-recap',
    expect.stringMatching(/^Searched for “vercel” in techcrunch\.com\//),
  ]);
  // Its text links to its sources.
  expect(
    await timeline(page)
      .getByRole('link', { name: /^Source \d+: / })
      .count(),
  ).toBe(0);
  await sources(page).getByRole('button', { name: '7 sources' }).click();
  await sources(page).getByText('Petco confirms security lapse').waitFor();
  expect(await isTooWide(page)).toBe(false);
  expect(await seriousIssues(page)).toEqual([]);
});

test('a text that links to its source has no additional mark', async () => {
  const { page, api } = await site.visit('/', { viewport: { width: 390, height: 844 } });
  const url = 'https://www.example.org/news?utm_source=openai';
  const call = { tool_call_id: 'ws', tool_name: 'web_search', provider_executed: true };
  const source = { type: 'source' as const, source_id: url, url, title: 'News' };
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', ...call, args: {} },
        {
          type: 'tool-result',
          ...call,
          result: {
            action: { type: 'search', query: 'news' },
            sources: [{ type: 'url', url: 'https://www.example.org/news' }],
          },
        },
        { type: 'tool-call', ...call, tool_call_id: 'open', args: {} },
        {
          type: 'tool-result',
          ...call,
          tool_call_id: 'open',
          result: { action: { type: 'openPage', url } },
        },
        { type: 'text', text: `It rains ([example.org](${url})).` },
        { ...source, cited: true },
      ],
    },
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('It rains').waitFor();
  await settled(page);
  expect(await timeline(page).locator('[data-row="text"]').innerText()).toBe(
    'It rains (example.org).',
  );
  expect(await search(page).innerText()).toContain('Searched the web for “news”');
  await page
    .getByRole('region', { name: 'Web page' })
    .getByText('Opened example.org/news')
    .waitFor();
  await sources(page).getByRole('button', { name: '1 source' }).waitFor();
  expect(await seriousIssues(page)).toEqual([]);
});

test('other provider calls are lines with input and output', async () => {
  const { page, api } = await site.visit('/');
  const code = { tool_call_id: 'c', tool_name: 'code_execution', provider_executed: true };
  const failed = { tool_call_id: 'f', tool_name: 'web_search', provider_executed: true };
  const id = await storeChat(site.server.store, api, site.modelConfigId, [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', ...code, args: { code: 'print(1 + 1)' } },
        { type: 'tool-result', ...code, result: { stdout: '2', return_code: 0 } },
        { type: 'tool-call', ...failed, args: { query: 'news' } },
        {
          type: 'tool-result',
          ...failed,
          is_error: true,
          result: { type: 'web_search_tool_result_error', errorCode: 'max_uses_exceeded' },
        },
        { type: 'text', text: 'It is 2.' },
      ],
    },
  ]);
  await page.goto(`${site.url}/chats/${id}`);
  const run = page.getByRole('region', { name: 'Code execution' });
  await run.getByRole('button', { name: 'Ran code' }).click();
  await run.getByText('print(1 + 1)').waitFor();
  await search(page).getByRole('button', { name: 'Could not search the web for “news”' }).click();
  await search(page).getByText('The search failed: max uses exceeded.').waitFor();
  expect(await seriousIssues(page)).toEqual([]);
});
