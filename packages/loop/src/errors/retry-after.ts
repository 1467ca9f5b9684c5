import type { Clock } from '@chatd/protocol/clock';
import type { Signals } from './signals.ts';

/** `retry-after-ms`, `retry-after` as seconds or a date, or Google's RetryInfo in the body. */
export function retryAfterMs(
  { headers, retryDelay }: Pick<Signals, 'headers' | 'retryDelay'>,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (ms >= 0) return Math.ceil(ms);
  const after = headers['retry-after']?.trim();
  if (after !== undefined && after !== '') {
    const seconds = Number(after);
    if (seconds >= 0) return Math.ceil(seconds * 1000);
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - clock.now());
  }
  const delay = /^(\d+(?:\.\d+)?)s$/.exec(retryDelay ?? '')?.[1];
  return delay === undefined ? undefined : Math.ceil(Number(delay) * 1000);
}
