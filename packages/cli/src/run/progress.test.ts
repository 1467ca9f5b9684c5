import type { StreamedEvent } from '@chatd/client';
import type { Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { plain } from '../output/style.ts';
import { Progress } from './progress.ts';

test('a web search is one line, and each source is named once', () => {
  const said: string[] = [];
  const context = { say: (line: string) => said.push(line), errorStyle: plain };
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
  expect(said).toEqual([
    '✓ Searched the web for “news” · 1 result',
    'Source: A https://a.example/',
  ]);
});
