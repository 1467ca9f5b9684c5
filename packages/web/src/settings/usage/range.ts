/** Days, as `2026-11-15` in UTC: that is how usage is counted. */
export interface Range {
  readonly first: string;
  /** Included. */
  readonly last: string;
}

const DAY_MS = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** This many days, today included. */
export const lastDays = (days: number, now: number): Range => ({
  first: dayOf(now - (days - 1) * DAY_MS),
  last: dayOf(now),
});

export const isRange = ({ first, last }: Range): boolean =>
  first !== '' && last !== '' && first <= last;

/** As the API takes it: from the first moment on, up to the one after the last. */
export const momentsOf = ({ first, last }: Range): { from: string; to: string } => ({
  from: `${first}T00:00:00.000Z`,
  to: new Date(Date.parse(last) + DAY_MS).toISOString(),
});

/** The most bars that can still be told apart. */
const MOST_DAYS = 400;

/** Every day of the range, also those on which nothing happened. */
export function daysOf({ first, last }: Range): string[] {
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
