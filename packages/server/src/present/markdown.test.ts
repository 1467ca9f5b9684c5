import type { Chat, Message, Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { asMarkdown } from './markdown.ts';

const chat = { title: 'News' } as Chat;
const exported = (...content: Part[]) => {
  const message: Message = { id: 1, chat_id: 'c', role: 'assistant', created_at: 'now', content };
  return asMarkdown(chat, [message]).split('\n\n').slice(2).join('\n\n').trimEnd();
};

const call = { tool_call_id: 's', tool_name: 'web_search', provider_executed: true };
const source = (url: string, title: string, cited = false): Part => ({
  type: 'source',
  source_id: url,
  url,
  title,
  ...(cited && { cited }),
});

test('a web search is a line with its results, and cited pages are linked where they are cited', () => {
  const pages = [
    { url: 'https://a.example/x_(y)', title: 'A [draft]' },
    { url: 'https://b.example/', title: 'B' },
  ];
  expect(
    exported(
      { type: 'tool-call', ...call, args: { query: 'news' } },
      { type: 'tool-result', ...call, result: pages },
      ...pages.map(({ url, title }) => source(url, title)),
      { type: 'text', text: 'It rains' },
      source('https://b.example/', 'B', true),
      { type: 'text', text: ' a lot.' },
    ),
  ).toBe(
    [
      '*Searched the web for “news” · 2 results*',
      String.raw`- [A \[draft\]](<https://a.example/x_(y)>)`,
      '- [B](<https://b.example/>)',
      '',
      'It rains [[1]](<https://b.example/>) a lot.',
      '',
      'Sources:',
      '',
      '- [1] [B](<https://b.example/>)',
    ].join('\n'),
  );
});

test('other provider-executed calls keep their input and output', () => {
  const run = { tool_call_id: 'c', tool_name: 'code_execution', provider_executed: true };
  const markdown = exported(
    { type: 'tool-call', ...run, args: { code: '1 + 1' } },
    { type: 'tool-result', ...run, result: { stdout: '2' } },
  );
  expect(markdown).toMatch(/^\*Ran code\*\n\n```json\n/);
  expect(markdown).toContain('"code": "1 + 1"');
  expect(markdown).toContain('"stdout": "2"');
});

test('sources without a position in the text are listed once', () => {
  const grounded = source('https://a.example/', 'A');
  expect(exported({ type: 'text', text: 'Yes.' }, grounded, grounded)).toBe(
    'Yes.\n\nSources:\n\n- [A](<https://a.example/>)',
  );
});
