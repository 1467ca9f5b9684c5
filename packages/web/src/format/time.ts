import { LOCALE } from './locale.ts';

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

export function ago(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return unit === 'second' ? 'now' : relative.format(Math.trunc(seconds / size), unit);
}

const SHORT = [
  ['y', 31_536_000],
  ['w', 604_800],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** "5m", "3h", "2d": for narrow columns. */
export function shortAgo(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  const [unit, size] = SHORT.find(([, each]) => seconds >= each) ?? ['', 0];
  return size === 0 ? 'now' : `${Math.floor(seconds / size)}${unit}`;
}

export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const HOUR_AND_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(LOCALE, options);
  return (time: string): string => format.format(new Date(time));
};

/** "14:05". */
export const clock = formatter(HOUR_AND_MINUTE);
/** "14:05:09". */
export const clockWithSeconds = formatter({ ...HOUR_AND_MINUTE, second: '2-digit' });
/** "Nov 16, 2026, 14:05". */
export const dateAndTime = formatter({ ...DAY, ...HOUR_AND_MINUTE });
/** "Monday, November 16, 2026". */
export const longDay = formatter({ ...DAY, month: 'long', weekday: 'long' });
/** "Nov 16, 2026", in UTC: usage and limits are by UTC day. */
export const utcDay = formatter({ ...DAY, timeZone: 'UTC' });
/** "Nov 16", in UTC. */
export const shortUtcDay = formatter({ day: 'numeric', month: 'short', timeZone: 'UTC' });

/** "Mon, Nov 16, 2026, 14:05 GMT+1", in this time zone. UTC if the browser does not know it. */
export function timeIn(timeZone: string, seconds = false): (time: string) => string {
  const parts: Intl.DateTimeFormatOptions = {
    weekday: 'short',
    ...DAY,
    ...HOUR_AND_MINUTE,
    ...(seconds && { second: '2-digit' }),
    timeZoneName: 'short',
  };
  try {
    return formatter({ ...parts, timeZone });
  } catch {
    return formatter({ ...parts, timeZone: 'UTC' });
  }
}
