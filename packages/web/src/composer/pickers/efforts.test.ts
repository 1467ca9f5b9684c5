import { expect, test } from 'vitest';
import { effortFor, effortsOf } from './efforts.ts';

const config = { reasoning_effort: { default: 'low', max: 'medium' } } as const;

test('no more effort is offered than the admin allows', () => {
  expect(effortsOf(config)).toEqual(['none', 'minimal', 'low', 'medium']);
  expect(effortsOf({})).toEqual([]);
});

test('a wish beyond that comes to the most that there is, no wish to the usual', () => {
  expect(effortFor(config, 'max')).toBe('medium');
  expect(effortFor(config, 'none')).toBe('none');
  expect(effortFor(config, undefined)).toBe('low');
  expect(effortFor({}, 'high')).toBeUndefined();
});
