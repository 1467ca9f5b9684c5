import { formatNumber, overRounds, range, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';
import type { Result } from './result.ts';
import { serverCharts } from './server-chart.ts';
import { type ServerData, type ServerRow, TWO_REQUESTS } from './server-data.ts';
import { summaryTable } from './server-summary.ts';
import {
  chatdTo,
  fullTable,
  headlineTable,
  historyTable,
  processesTable,
  programsIn,
} from './server-table.ts';

/** Of the headline, which shows a busy server, not an overloaded one. */
const USUAL_CONCURRENCY = 8;
const USUAL_STEPS = 5;

function headlineOf(rows: readonly ServerRow[]): number {
  const measured = rows.map(({ concurrency }) => concurrency);
  return measured.includes(USUAL_CONCURRENCY) ? USUAL_CONCURRENCY : Math.max(...measured);
}

export const serverReport = defineReport<ServerData>({
  result: 'server',
  command: 'npm run bench:server -- --keep',
  render(result) {
    const { rows, processes, seconds } = result.data;
    const usual = rows.filter(({ steps }) => steps === USUAL_STEPS);
    const short = usual.filter(({ history }) => history === 0);
    const atOnce = headlineOf(short);
    const headline = short.filter(({ concurrency }) => concurrency === atOnce);
    const more = rows.filter(({ steps }) => steps !== USUAL_STEPS);
    const others = Math.max(...rows.map(({ foreignShare }) => foreignShare));
    const measured = (rows: readonly ServerRow[]) => `${rounds(rows)} of ${seconds} s`;
    const note =
      `${atOnce} concurrent conversations, each in a new chat; ${measured(headline)}. ` +
      `Bold: chatd is ahead. Unrelated programs used up to ${formatNumber(100 * others)} % of the machine.`;
    return {
      blocks: {
        server: withProvenance(result, headlineTable(headline), note),
        'server-verdict': verdict(short),
        'server-steps': ifMeasured(more, () =>
          withProvenance(
            result,
            headlineTable(more),
            `${more[0]?.steps} steps per conversation, ${more[0]?.concurrency} concurrent conversations; ${measured(more)}.`,
          ),
        ),
        'server-history': historyBlock(
          result,
          usual.filter(({ concurrency }) => concurrency === atOnce),
        ),
        'server-processes': ifMeasured(processes, () =>
          withProvenance(
            result,
            processesTable(processes),
            `${processes[0]?.concurrency} concurrent conversations of ${processes[0]?.steps} steps; ${measured(processes)}.`,
          ),
        ),
        'server-all': `<details><summary>All measurements</summary>\n\n${fullTable(rows)}\n\n</details>`,
        'server-summary': summaryTable(result.data),
      },
      figures: figures(short),
      charts: serverCharts(short),
    };
  },
});

function ifMeasured(rows: readonly ServerRow[], render: () => string): string {
  return rows.length === 0 ? 'Not measured in this run.' : render();
}

function rounds(rows: readonly ServerRow[]): string {
  return overRounds(Math.max(...rows.map((row) => row.rounds)));
}

function historyBlock(result: Result<ServerData>, rows: readonly ServerRow[]): string {
  const long = rows.filter(({ history }) => history > 0);
  return ifMeasured(long, () =>
    withProvenance(
      result,
      historyTable(rows),
      `${headlineOf(rows)} concurrent conversations; ${rounds(long)} for chats with earlier messages.`,
    ),
  );
}

/** One line per program over all concurrency levels, with the reason where chatd is behind. */
function verdict(rows: readonly ServerRow[]): string {
  const lines = programsIn(rows).flatMap(([name, { label, because }]) => {
    if (name === 'chatd' || name === TWO_REQUESTS) return [];
    const steps = ratios(rows, name, 'stepsPerSecond');
    const cpu = ratios(rows, name, 'totalCpu');
    const compared = `${standing(steps)} ${label}: ${range(steps, 2)} times the steps, ${range(cpu, 2)} times the CPU.`;
    const behind = steps.some((ratio) => ratio < 1);
    return [behind && because !== undefined ? `- ${compared} ${because}` : `- ${compared}`];
  });
  const counts = [...new Set(rows.map(({ concurrency }) => concurrency))].join(', ');
  return `With ${counts} concurrent conversations, chatd is\n\n${lines.join('\n')}`;
}

function standing(steps: readonly number[]): string {
  if (steps.every((ratio) => ratio > 1)) return '**ahead** of';
  return steps.every((ratio) => ratio < 1) ? '**behind**' : '**on par** with';
}

function ratios(
  rows: readonly ServerRow[],
  name: string,
  metric: Parameters<typeof chatdTo>[2],
): number[] {
  return rows
    .filter((row) => row.name === name)
    .map((row) => chatdTo(rows, row, metric) ?? Number.NaN);
}

/** `stepsTo.dbos`, `cpuTo.dbos`, …: ranges over all concurrency levels; and the absolute values of chatd. */
function figures(rows: readonly ServerRow[]): Record<string, string> {
  const atOnce = headlineOf(rows);
  const ours = rows.find((row) => row.name === 'chatd' && row.concurrency === atOnce);
  const compared = programsIn(rows).flatMap(([name]) =>
    name === 'chatd'
      ? []
      : [
          [`stepsTo.${name}`, range(ratios(rows, name, 'stepsPerSecond'), 1)],
          [`cpuTo.${name}`, range(ratios(rows, name, 'totalCpu'), 1)],
        ],
  );
  return {
    steps: formatNumber(ours?.stepsPerSecond),
    cpu: formatNumber(ours?.totalCpu, 1),
    firstText: formatNumber(ours?.firstTextP50),
    wal: formatNumber(ours?.walPerStep),
    commits: formatNumber(ours?.commitsPerStep, 2),
    ...(Object.fromEntries(compared) as Record<string, string>),
  };
}
