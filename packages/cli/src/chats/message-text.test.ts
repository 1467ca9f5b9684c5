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

test('no part of a message reaches the terminal with a control sequence', () => {
  const hostile = 'x\u001B]52;c;c2VjcmV0\u0007\u001B]0;title\u0007\u001B[2J\u009B2Jy';
  const call = { tool_call_id: hostile, tool_name: hostile };
  const content: Part[] = [
    { type: 'text', text: hostile },
    { type: 'tool-call', ...call, args: { [hostile]: hostile } },
    { type: 'tool-result', ...call, result: hostile },
    { type: 'tool-result', ...call, is_error: true, result: { [hostile]: hostile } },
    { type: 'tool-call', ...search, tool_name: hostile, args: { query: hostile } },
    { type: 'tool-result', ...search, tool_name: hostile, result: [{ url, title: hostile }] },
    { type: 'file', file_id: 'f', name: hostile, media_type: hostile },
    { type: 'file-reference', file_name: hostile, start_line: 1, end_line: 2, content: hostile },
    { ...source, title: hostile, cited: true },
  ];
  const text = messageText({ content });
  expect(text.split('\n').length).toBeGreaterThan(6);
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
});
