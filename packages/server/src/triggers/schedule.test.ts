import { describe, expect, test } from 'vitest';
import { nextTime, nextTimes, planFiring, type Schedule } from './schedule.ts';

const times = (cron: string, timezone: string, after: string, count: number) =>
  nextTimes(cron, timezone, new Date(after), count).map((time) => time.toISOString());

describe('times of a schedule', () => {
  test('five fields, or six with seconds first', () => {
    expect(times('30 2 * * *', 'UTC', '2026-01-01T02:30:00Z', 2)).toEqual([
      '2026-01-02T02:30:00.000Z',
      '2026-01-03T02:30:00.000Z',
    ]);
    expect(times('*/20 * * * * *', 'UTC', '2026-01-01T00:00:00.001Z', 3)).toEqual([
      '2026-01-01T00:00:20.000Z',
      '2026-01-01T00:00:40.000Z',
      '2026-01-01T00:01:00.000Z',
    ]);
  });

  test('a local time that does not exist on the day clocks go forward runs right after the gap', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  test('a local time that occurs twice when clocks go back runs once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  test('an interval continues through the repeated hour', () => {
    expect(times('*/30 * * * *', 'America/New_York', '2026-11-01T05:00:00Z', 5)).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T06:00:00.000Z',
      '2026-11-01T06:30:00.000Z',
      '2026-11-01T07:00:00.000Z',
      '2026-11-01T07:30:00.000Z',
    ]);
  });

  test('a date that never occurs has no next time', () => {
    expect(nextTime('0 0 30 2 *', 'UTC', new Date(0))).toBeNull();
  });

  test.each([
    ['* * * *', 'UTC'],
    ['60 * * * *', 'UTC'],
    ['* * * * * * *', 'UTC'],
    ['tomorrow', 'UTC'],
    ['2030-01-01T00:00:00', 'UTC'],
    ['* * * * *', 'Mars/Olympus'],
    ['* * * * *', '+02:00'],
  ])('%s in %s is refused', (cron, timezone) => {
    expect(() => nextTime(cron, timezone, new Date(0))).toThrow(
      expect.objectContaining({ code: 'invalid_schedule' }),
    );
  });
});

describe('a time that is due', () => {
  const due = new Date('2026-01-01T03:00:00Z');
  const schedule: Schedule = {
    cron: '0 3 * * *',
    timezone: 'UTC',
    missed: 'skip',
    next_fire_at: due,
  };
  const everySecond = { ...schedule, cron: '* * * * * *' };
  const late = (seconds: number) => new Date(due.getTime() + seconds * 1000);

  test('fires, and the time after it is next, even if it has passed, too', () => {
    expect(planFiring(schedule, late(0))).toEqual({
      fires: true,
      next: new Date('2026-01-02T03:00:00Z'),
    });
    expect(planFiring(everySecond, late(45))).toEqual({ fires: true, next: late(1) });
  });

  test('is missed after a minute: skipped, or made up for by one run', () => {
    const next = new Date('2026-01-02T03:00:00Z');
    expect(planFiring(schedule, late(61))).toEqual({ fires: false, next });
    expect(planFiring({ ...schedule, missed: 'once' }, late(61))).toEqual({ fires: true, next });
    // All others up to a minute ago are missed with it.
    expect(planFiring(everySecond, late(7200))).toEqual({ fires: false, next: late(7141) });
  });
});
