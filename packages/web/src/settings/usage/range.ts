/** Days in UTC, such as `2026-11-15`: usage is aggregated by UTC day. */
export interface DayRange {
  readonly first: string;
  /** Inclusive. */
  readonly last: string;
}

const DAY_MS = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last `days` days, including today. */
export const lastDays = (days: number, now: number): DayRange => ({
  first: dayOf(now - (days - 1) * DAY_MS),
  last: dayOf(now),
});

/** Date fields accept years of five digits, which browsers parse differently. */
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

export const isRange = ({ first, last }: DayRange): boolean =>
  isDay(first) && isDay(last) && first <= last;

/** In the API's format: from the start of the first day to the end of the last. */
export const momentsOf = ({ first, last }: DayRange): { from: string; to: string } => ({
  from: `${first}T00:00:00.000Z`,
  to: new Date(Date.parse(last) + DAY_MS).toISOString(),
});

/** The maximum number of distinguishable bars. */
const MOST_DAYS = 400;

/** Every day of the range, including days without usage. */
export function daysOf({ first, last }: DayRange): string[] {
  const days = [];
  for (
    let time = Date.parse(first);
    time <= Date.parse(last) && days.length < MOST_DAYS;
    time += DAY_MS
  ) {
    days.push(dayOf(time));
  }
  return days;
}
