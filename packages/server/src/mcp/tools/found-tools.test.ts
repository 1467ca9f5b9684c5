import type { HistoryMessage } from '@chatd/loop';
import type { Json } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { foundTools } from './found-tools.ts';

const result = (value: Json, more: object = {}): HistoryMessage => ({
  role: 'tool',
  content: [
    { type: 'tool-result', tool_call_id: 'a', tool_name: 'find_tools', result: value, ...more },
  ],
});
const found = (...names: string[]) => result({ tools: names.map((name) => ({ name })) });

test('found tools are those in the results of find_tools', () => {
  expect([...foundTools([found('a', 'b'), found('c')])]).toEqual(['a', 'b', 'c']);
});

test('errors, results of other tools and malformed results are ignored', () => {
  const other = result({ tools: [{ name: 'x' }] }, { tool_name: 'another' });
  const failed = result({ tools: [{ name: 'x' }] }, { is_error: true });
  const garbage = [null, 'cut', [], { tools: 'x' }, { tools: [1, null, {}] }].map((value) =>
    result(value),
  );
  expect([...foundTools([other, failed, ...garbage])]).toEqual([]);
});

test('only the latest 64 tools are kept', () => {
  const many = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const kept = foundTools([found(...many), found('t0')]);
  expect(kept.size).toBe(64);
  expect([...kept].at(-1)).toBe('t0');
  expect(kept.has('t1')).toBe(false);
});
