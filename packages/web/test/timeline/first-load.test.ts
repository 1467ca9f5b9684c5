import { expect, inject, test } from 'vitest';
import { firstLoadBytes } from '../../build/first-load.ts';

test('the first load is under 210 KB of compressed JavaScript', () => {
  const bytes = firstLoadBytes(inject('webFolder'));
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(210_000);
});
