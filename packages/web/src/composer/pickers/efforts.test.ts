import { expect, test } from 'vitest';
import { effortFor, effortsOf } from './efforts.ts';

const config = { reasoning_effort: { default: 'low', max: 'medium' } } as const;

test('efforts above the maximum are not offered', () => {
  expect(effortsOf(config)).toEqual(['none', 'minimal', 'low', 'medium']);
  expect(effortsOf({})).toEqual([]);
});

test('a higher request is limited to the maximum, and no request means the default', () => {
  expect(effortFor(config, 'max')).toBe('medium');
  expect(effortFor(config, 'none')).toBe('none');
  expect(effortFor(config, undefined)).toBe('low');
  expect(effortFor({}, 'high')).toBeUndefined();
});
