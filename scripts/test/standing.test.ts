import { expect, test } from 'vitest';
import { takenNow } from '../../bench/report/result.ts';
import type { ServerRow } from '../../bench/report/server-data.ts';
import { serverReport } from '../../bench/report/server.ts';

function row(name: string, concurrency: number, stepsPerSecond: number): ServerRow {
  const rest = { durable: true, history: 0, rounds: 3, residentMb: 1, foreignShare: 0 };
  const cost = { peerCpu: 1, storeCpu: 1, totalCpu: 2, walPerStep: 1000, commitsPerStep: 2 };
  return { name, concurrency, stepsPerSecond, firstTextP50: 1, firstTextP99: 2, ...rest, ...cost };
}

const verdict = (...others: readonly ServerRow[]) => {
  const rows = [row('chatd', 1, 100), row('chatd', 8, 200), ...others];
  const measured = { command: 'npm run bench:server', data: { seconds: 3, rows } };
  return serverReport.render(takenNow(measured)).blocks?.['server-verdict'];
};

test('chatd is ahead of those that make fewer steps however many conversations there are', () => {
  expect(verdict(row('lg', 1, 50), row('lg', 8, 80))).toContain(
    '- **ahead** of LangGraph with PostgresSaver: 2.00 to 2.50 times the steps',
  );
});

test('where chatd is behind, the reason stands beside it', () => {
  const said = verdict(row('raw', 1, 200), row('raw', 8, 400));
  expect(said).toContain('- **behind** a loop by hand and one INSERT a step: 0.50 times the steps');
  expect(said).toContain('makes no promise but the row it writes');
});

test('who is faster in one case and slower in another is level', () => {
  expect(verdict(row('dbos', 1, 50), row('dbos', 8, 400))).toContain('**level** with DBOS');
});
