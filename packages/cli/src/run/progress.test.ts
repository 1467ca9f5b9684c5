import type { StreamedEvent } from '@chatd/client';
import type { Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { plain } from '../output/style.ts';
import { Progress } from './progress.ts';

test('a web search is one line, and each source is named once', () => {
  const logged: string[] = [];
  const context = { log: (line: string) => logged.push(line), errorStyle: plain };
  const progress = new Progress(context as unknown as Context, false);
  const call = { tool_call_id: 's', tool_name: 'web_search', provider_executed: true };
  const url = 'https://a.example/';
  const source: Part = { type: 'source', source_id: 'a', url, title: 'A' };
  const content: Part[] = [
    { type: 'tool-call', ...call, args: { query: 'news' } },
    { type: 'tool-result', ...call, result: [{ url, title: 'A' }] },
    source,
    { type: 'text', text: 'It rained.' },
    { ...source, cited: true },
  ];
  const message = { id: 2, role: 'assistant', content };
  progress.take({ type: 'message', message } as unknown as StreamedEvent);
  expect(logged).toEqual([
    '✓ Searched the web for “news” · 1 result',
    'Source: A https://a.example/',
  ]);
});

test('tools cannot write control sequences to the terminal', () => {
  const hostile = 'x\u001B]52;c;c2VjcmV0\u0007\u001B]0;title\u0007\u001B[2J\u009B2Jy';
  const logged: string[] = [];
  const context = { log: (line: string) => logged.push(line), errorStyle: plain };
  const progress = new Progress(context as unknown as Context, false);
  const call = { tool_call_id: 'c', tool_name: hostile };
  const provider = { tool_call_id: 'p', tool_name: hostile, provider_executed: true };
  const content: Part[] = [
    { type: 'tool-call', ...call, args: { command: hostile } },
    { type: 'tool-result', ...call, result: hostile },
    { type: 'tool-result', ...call, is_error: true, result: hostile },
    { type: 'tool-call', ...provider, args: { query: hostile } },
    { type: 'tool-result', ...provider, result: hostile },
    { type: 'source', source_id: 'a', url: 'https://a.example/', title: hostile },
  ];
  const message = { id: 2, role: 'assistant', content };
  progress.take({ type: 'message', message } as unknown as StreamedEvent);
  progress.take({ type: 'retry', error: hostile, delay_ms: 1 } as unknown as StreamedEvent);
  expect(logged).toHaveLength(6);
  expect(logged.join('')).not.toMatch(/\p{Cc}/u);
});
