import { Cron } from 'croner';
import { Refused } from '../chat/refused.ts';

/** A time that no replica has started after this long counts as missed. */
const MISSED_AFTER_MS = 60_000;

const PARSED_LIMIT = 1000;
const parsed = new Map<string, Cron>();

/** The first time after another. Null: there is none. Throws `Refused`. */
export function nextTime(cron: string, timezone: string, after: Date): Date | null {
  return scheduleOf(cron, timezone).nextRun(after);
}

export function nextTimes(cron: string, timezone: string, after: Date, count: number): Date[] {
  return scheduleOf(cron, timezone).nextRuns(count, after);
}

export interface Schedule {
  readonly cron: string;
  readonly timezone: string;
  readonly missed: 'skip' | 'once';
  readonly next_fire_at: Date;
}

/** What to do for a time that is due, and the time after it. */
export interface PlannedFiring {
  readonly fires: boolean;
  readonly next: Date | null;
}

/**
 * Every time within the last minute has its own run. Earlier ones were missed: the first of them stands for all. The
 * clock is the database's.
 */
export function planFiring(schedule: Schedule, now: Date): PlannedFiring {
  const { cron, timezone, missed, next_fire_at: due } = schedule;
  const earliest = new Date(now.getTime() - MISSED_AFTER_MS);
  if (due >= earliest) return { fires: true, next: nextTime(cron, timezone, due) };
  return { fires: missed === 'once', next: nextTime(cron, timezone, earliest) };
}

function scheduleOf(cron: string, timezone: string): Cron {
  const key = `${timezone} ${cron}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const schedule = parse(cron.trim(), timezone);
  if (parsed.size >= PARSED_LIMIT) parsed.clear();
  parsed.set(key, schedule);
  return schedule;
}

function parse(cron: string, timezone: string): Cron {
  if (!isTimezone(timezone)) {
    throw invalid(
      `The time zone ${JSON.stringify(timezone)} does not exist. Use an IANA name, such as Europe/Berlin.`,
    );
  }
  // Croner also takes dates.
  if (/^\d{4}-/.test(cron)) throw invalid(`${JSON.stringify(cron)} is not a cron expression.`);
  try {
    return new Cron(cron, { timezone, mode: '5-or-6-parts', paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    throw invalid(`${JSON.stringify(cron)} is not a valid cron expression: ${why}`);
  }
}

function isTimezone(timezone: string): boolean {
  // Offsets are valid for some versions of Node.js only.
  if (!/^[a-z]/i.test(timezone)) return false;
  try {
    Intl.DateTimeFormat('en-US', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}

const invalid = (detail: string) => new Refused('invalid_schedule', detail);
