import { expect, test } from 'vitest';
import { parentFrom } from './traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a traceparent names the parent span', () => {
  expect(parentFrom(`00-${TRACE}-${SPAN}-01`, undefined)).toEqual({
    traceId: TRACE,
    spanId: SPAN,
    traceFlags: 1,
    isRemote: true,
  });
  expect(parentFrom(`00-${TRACE}-${SPAN}-00`, undefined)?.traceFlags).toBe(0);
  expect(parentFrom(`00-${TRACE}-${SPAN}-01`, 'a=b')?.traceState?.get('a')).toBe('b');
});

test('a later version can have more fields', () => {
  expect(parentFrom(`01-${TRACE}-${SPAN}-01-more`, undefined)?.traceId).toBe(TRACE);
});

test.each([
  undefined,
  '',
  'nonsense',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
])('%s names no parent span', (traceparent) => {
  expect(parentFrom(traceparent, undefined)).toBeUndefined();
});
