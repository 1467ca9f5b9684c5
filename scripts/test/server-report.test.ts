import { expect, test } from 'vitest';
import { takenNow } from '../../bench/report/result.ts';
import type { ServerRow } from '../../bench/report/server-data.ts';
import { serverReport } from '../../bench/report/server.ts';

function row(name: string, concurrency: number, stepsPerSecond: number): ServerRow {
  const rest = { steps: 5, history: 0, rounds: 3, residentMb: 1, foreignShare: 0 };
  const cost = {
    peerCpu: 1,
    storeCpu: 1,
    totalCpu: 2,
    firstTurnCpu: null,
    walPerStep: 1000,
    commitsPerStep: 2,
  };
  return { name, concurrency, stepsPerSecond, firstTextP50: 1, firstTextP99: 2, ...rest, ...cost };
}

const verdict = (...others: readonly ServerRow[]) => {
  const rows = [row('chatd', 1, 100), row('chatd', 8, 200), ...others];
  const measured = { command: 'npm run bench:server', data: { seconds: 3, rows, processes: [] } };
  return serverReport.render(takenNow(measured)).blocks?.['server-verdict'];
};

test('chatd is ahead of a program with fewer steps at every concurrency', () => {
  expect(verdict(row('langgraph', 1, 50), row('langgraph', 8, 80))).toContain(
    '- **ahead** of LangGraph with PostgresSaver: 2.00 to 2.50 times the steps',
  );
});

test('the verdict gives the reason where chatd is behind', () => {
  const said = verdict(row('handwritten', 1, 200), row('handwritten', 8, 400));
  expect(said).toContain(
    '- **behind** a handwritten loop (one INSERT per step): 0.50 times the steps',
  );
  expect(said).toContain('guarantees nothing but the row it writes');
});

test('a program that is faster in one case and slower in another is on par', () => {
  expect(verdict(row('dbos', 1, 50), row('dbos', 8, 400))).toContain('**on par** with DBOS');
});
