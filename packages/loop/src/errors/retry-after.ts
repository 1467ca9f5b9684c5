import type { Clock } from '../clock.ts';

/** `retry-after-ms`, `retry-after` as seconds or as a date, or Google's RetryInfo in the body. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  text: string,
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
  const info = /"retrydelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(text)?.[1];
  return info === undefined ? undefined : Math.ceil(Number(info) * 1000);
}
