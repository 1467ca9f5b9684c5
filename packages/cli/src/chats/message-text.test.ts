import type { Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { messageText } from './message-text.ts';

const search = { tool_call_id: 's', tool_name: 'web_search', provider_executed: true };
const url = 'https://a.example/';
const source: Part = { type: 'source', source_id: 'a', url, title: 'A' };

test('a web search is one line, the text has marks, and each source is listed once', () => {
  const content: Part[] = [
    { type: 'tool-call', ...search, args: { query: 'news' } },
    { type: 'tool-result', ...search, result: [{ url, title: 'A' }] },
    source,
    { type: 'text', text: 'It rained' },
    { ...source, cited: true },
    { type: 'text', text: ' a lot.' },
  ];
  expect(messageText({ content })).toBe(
    [
      '← Searched the web for “news” · 1 result',
      'It rained[1] a lot.',
      '[1] A https://a.example/',
    ].join('\n'),
  );
});

test('a failed search says so', () => {
  const content: Part[] = [
    { type: 'tool-call', ...search, args: { query: 'news' } },
    { type: 'tool-result', ...search, is_error: true, result: { errorCode: 'unavailable' } },
  ];
  expect(messageText({ content })).toBe('✗ Could not search the web for “news”');
});

test('calls of other tools keep their input and output', () => {
  const call = { tool_call_id: 'e', tool_name: 'execute' };
  const content: Part[] = [
    { type: 'tool-call', ...call, args: { command: 'ls' } },
    { type: 'tool-result', ...call, result: 'a.txt' },
  ];
  expect(messageText({ content })).toBe('→ execute {"command":"ls"}\n← execute a.txt');
});
