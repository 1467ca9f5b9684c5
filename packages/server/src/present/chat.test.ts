import { expect, test } from 'vitest';
import { presentRetry } from './chat.ts';

test('a retry recorded by an earlier version is presented as retryable', () => {
  const recorded = {
    attempt: 1,
    delay_ms: 1000,
    retrying_at: '2026-01-01T00:00:01.000Z',
    kind: 'overloaded' as const,
    provider: 'anthropic',
    error: 'The provider is overloaded.',
  };
  expect(presentRetry(recorded)).toEqual({ ...recorded, retryable: true });
});
