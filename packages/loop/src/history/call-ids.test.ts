import { expect, test } from 'vitest';
import { legalCallId, UsedCallIds } from './call-ids.ts';

test('an id that every provider accepts is unchanged', () => {
  expect(legalCallId('toolu_01A-b')).toBe('toolu_01A-b');
});

test('characters that some providers reject are replaced', () => {
  expect(legalCallId('functions.add:0')).toBe('functions_add_0');
  expect(legalCallId('')).toBe('_');
});

test('ids that are too long for some providers are truncated and stay distinct', () => {
  const [a, b] = ['a', 'b'].map((end) => legalCallId(`chatcmpl-tool-${'0'.repeat(31)}${end}`));
  expect(a).toMatch(/^chatcmpl-tool-[\w-]{26}$/);
  expect(a).not.toBe(b);
});

test('used ids are collected in the form that providers see', () => {
  const call = { type: 'tool-call' as const, tool_call_id: 'f:0', tool_name: 'f', args: {} };
  expect([...new UsedCallIds().of([{ role: 'assistant', content: [call] }])]).toEqual(['f_0']);
});
