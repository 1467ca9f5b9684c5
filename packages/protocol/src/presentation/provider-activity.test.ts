import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { activityLine, providerActivity } from './provider-activity.ts';

const line = (tool_name: string, args: Json, result?: Json) =>
  activityLine(
    providerActivity({ tool_name, args }, result === undefined ? undefined : { result }),
    result === undefined ? 'running' : 'done',
  );
const pages = [
  { type: 'web_search_result', url: 'https://a.example/', title: 'A', pageAge: null },
  { type: 'web_search_result', url: 'https://b.example/', title: '' },
  { type: 'web_search_result', url: 'https://a.example/', title: 'A again' },
];

test('an Anthropic search has its query in the arguments and its pages in the result', () => {
  expect(line('web_search', { query: 'tech  news' })).toBe('Searching the web for “tech news”');
  expect(line('web_search', { query: 'tech news' }, pages)).toBe(
    'Searched the web for “tech news” · 2 results',
  );
  expect(line('web_search', { query: 'tech news' }, [])).toBe(
    'Searched the web for “tech news” · 0 results',
  );
});

test('an OpenAI search has its query in the result', () => {
  const action = { type: 'search', query: 'tech news' };
  const sources = [{ type: 'url', url: 'https://a.example/' }];
  expect(line('web_search', {})).toBe('Searching the web');
  expect(line('web_search', {}, { action, sources })).toBe(
    'Searched the web for “tech news” · 1 result',
  );
  // Without a list, the number of results is unknown.
  expect(line('web_search', {}, { action })).toBe('Searched the web for “tech news”');
});

test.each([
  [{ type: 'openPage', url: 'https://www.a.example/x/' }, 'Opened a.example/x'],
  [
    { type: 'findInPage', url: 'https://a.example/', pattern: 'vercel' },
    'Searched for “vercel” in a.example',
  ],
])('other actions of a search are named: %j', (action, expected) => {
  expect(line('web_search', {}, { action })).toBe(expected);
});

test('a fetched page has the title from the provider', () => {
  const url = 'https://en.wikipedia.org/wiki/Maglemosian_culture';
  const result = { type: 'web_fetch_result', url, content: { title: 'Maglemosian culture' } };
  expect(providerActivity({ tool_name: 'web_fetch', args: { url } }, { result })).toMatchObject({
    kind: 'page',
    about: 'en.wikipedia.org/wiki/Maglemosian_culture',
    page: { url, title: 'Maglemosian culture' },
  });
});

test('a failed search lists nothing', () => {
  const result = { type: 'web_search_tool_result_error', errorCode: 'max_uses_exceeded' };
  const activity = providerActivity(
    { tool_name: 'web_search', args: { query: 'x' } },
    { result, is_error: true },
  );
  expect(activityLine(activity, 'failed')).toBe('Could not search the web for “x”');
});

test('code and tools of MCP servers are named', () => {
  expect(line('bash_code_execution', { command: 'ls' }, { stdout: '' })).toBe('Ran code');
  expect(line('echo', {}, [{ type: 'text', text: 'hi' }])).toBe('Called echo');
});
