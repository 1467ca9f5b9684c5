import { expect, test } from 'vitest';
import { legalCallId, UsedCallIds } from './call-ids.ts';

test('an id that every provider takes stays as it is', () => {
  expect(legalCallId('toolu_01A-b')).toBe('toolu_01A-b');
});

test('signs that others refuse are replaced', () => {
  expect(legalCallId('functions.add:0')).toBe('functions_add_0');
  expect(legalCallId('')).toBe('_');
});

test('ids that are too long for some are cut, and are still told apart', () => {
  const [a, b] = ['a', 'b'].map((end) => legalCallId(`chatcmpl-tool-${'0'.repeat(31)}${end}`));
  expect(a).toMatch(/^chatcmpl-tool-[\w-]{26}$/);
  expect(a).not.toBe(b);
});

test('the ids of a history are known as providers see them', () => {
  const call = { type: 'tool-call' as const, tool_call_id: 'f:0', tool_name: 'f', args: {} };
  expect([...new UsedCallIds().of([{ role: 'assistant', content: [call] }])]).toEqual(['f_0']);
});
