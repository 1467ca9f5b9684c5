import { expect, test } from 'vitest';
import { type FaultsData, faultsReport } from '../../../../bench/report/faults.ts';
import { takenNow } from '../../../../bench/report/result.ts';
import { addExamined, NOTHING } from '../../../../faults/oracle/examined.ts';
import { violation } from '../../../../faults/oracle/problem.ts';
import { mergeResults, resultOf } from '../../../../faults/results.ts';
import { countRounds, mergeVerdicts, type Outcome } from '../../../../faults/row.ts';
import { distributionOf, formatDistribution } from '../../../../faults/statistics.ts';

const RUN = {
  fault: 'kill -9',
  bus: 'postgres',
  day: '2026-11-17',
  load: 1.5,
  rounds: 20,
  chats: 50,
  seconds: 300,
} as const;
const EXAMINED = { ...NOTHING, chats: 1000, messages: 2000, events: 40_000, calls: 10, unknown: 3 };
const PASSED: Outcome = { problems: [], examined: EXAMINED };

const rendered = (...rows: FaultsData['rows']): string => {
  const data: FaultsData = { leaseSeconds: 2, rows };
  return (
    faultsReport.render(takenNow({ command: 'npm run faults', data })).blocks?.['faults'] ?? ''
  );
};

test('a distribution has nearest-rank percentiles, the maximum, and the number of values', () => {
  const values = Array.from({ length: 200 }, (_, index) => index + 1);
  expect(distributionOf(values)).toEqual({ n: 200, p50: 100, p90: 180, p99: 198, max: 200 });
  expect(formatDistribution(distributionOf([1500]))).toBe(
    'p50 1,500 ms, p90 1,500 ms, p99 1,500 ms, max 1,500 ms (n = 1)',
  );
  expect(distributionOf([])).toEqual({ n: 0 });
});

test('counts are published with the number of examined items', () => {
  const text = rendered(resultOf(RUN, { ...PASSED, times: { takeover: [2000, 2500] } }));
  expect(text).toContain('All checks passed.');
  expect(text).toContain(
    '| kill -9 | PostgreSQL | 20 × 50 | 0 of 42,010 | 0 of 42,010 | 0 of 1,000 | 3 of 10 | takeover p50 2,000 ms, p90 2,500 ms, p99 2,500 ms, max 2,500 ms (n = 2) | 2026-11-17, 1.5 |',
  );
});

test('problems are counted by the kind of their rule', () => {
  const problems = [
    violation('acknowledgedStored', 'm-1'),
    violation('effectsAtMostOnce', 'm-1/0'),
    violation('answeredOnce', 'm-1/1'),
    violation('noStuckChats', 'c'),
    violation('onlyOwnerCommits', 'c'),
  ];
  const result = resultOf(RUN, { ...PASSED, problems });
  expect(result).toMatchObject({ problems: 5, counts: { lost: 1, doubled: 2, stuck: 1 } });
  const text = rendered(result);
  expect(text).toContain('**1 rows failed.**');
  expect(text).toContain(
    '| 1 of 42,010 | 2 of 42,010 | 1 of 1,000 | 3 of 10 | **5 checks failed**',
  );
});

test('a row that failed before its checks has no counts', () => {
  const text = rendered(resultOf(RUN, { problems: [{ kind: 'wrong', what: 'no replica' }] }));
  expect(text).toContain('| – | – | – | – | **1 checks failed**');
});

const row = (fault: string, bus: 'postgres' | 'nats', load: number) =>
  resultOf({ ...RUN, fault, bus, load }, PASSED);

test('measured rows replace only stored rows of the same fault and bus', () => {
  const stored = [row('b', 'nats', 1), row('b', 'postgres', 1), row('removed', 'nats', 1)];
  const measured = [row('b', 'nats', 2), row('a', 'nats', 2)];
  const merged = mergeResults(['a', 'b'], measured, stored);
  expect(merged.map(({ fault, bus, load }) => [fault, bus, load])).toEqual([
    ['a', 'nats', 2],
    ['b', 'postgres', 1],
    ['b', 'nats', 2],
  ]);
});

test('verdicts of several clusters are added', () => {
  const late = ['takeover took 5000 ms'];
  const problems = [violation('noStuckChats', 'c')];
  expect(mergeVerdicts([PASSED, { ...PASSED, problems, late }])).toEqual({
    problems,
    late,
    examined: addExamined(EXAMINED, EXAMINED),
  });
});

test('every round is logged when it ends', () => {
  const lines: string[] = [];
  const numbers = [...countRounds({ rounds: 2, log: (line) => lines.push(line) })];
  expect(numbers).toEqual([1, 2]);
  expect(lines).toEqual([
    expect.stringContaining('round 1 of 2: '),
    expect.stringContaining('round 2 of 2: '),
  ]);
});
