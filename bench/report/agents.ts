import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface AgentsData {
  /** Deltas per second and agent. */
  readonly rate: number;
  /** Agents of the first measurement. */
  readonly agents: number;
  /** Duration of each measurement. */
  readonly seconds: number;
  readonly rounds: number;
  /** Largest p99 of the delivery delay in the search. */
  readonly limitMs: number;
  readonly programs: readonly AgentsRow[];
}

/** Medians over the rounds. */
export interface AgentsRow {
  readonly name: string;
  /** CPU of the program per delta, with `agents` agents. */
  readonly cpuMicros: number;
  readonly p50: number;
  readonly p99: number;
  readonly residentMb: number;
  /** The largest number of agents on one core below the limit. */
  readonly perCore: number;
}

const LABELS: Readonly<Record<string, string>> = {
  chatd: '**chatd**',
  doStream: 'a proxy around `doStream`',
  uiStream: 'the AI SDK UI stream (`streamText`)',
};

export const agentsReport = defineReport<AgentsData>({
  result: 'agents',
  command: 'npm run bench:agents -- --keep',
  render(result) {
    const { rate, agents, seconds, rounds, limitMs, programs } = result.data;
    const chatd = programs.find(({ name }) => name === 'chatd');
    const ratio = (row: AgentsRow, metric: 'cpuMicros' | 'perCore') =>
      row === chatd || chatd === undefined ? undefined : chatd[metric] / row[metric];
    const cell = (row: AgentsRow, metric: 'cpuMicros' | 'perCore') => {
      const value = ratio(row, metric);
      if (value === undefined) return '';
      const ahead = metric === 'perCore' ? value > 1 : value < 1;
      return ahead ? `**${formatNumber(value, 2)}**` : formatNumber(value, 2);
    };
    const table = markdownTable(
      [
        '',
        '> CPU per delta, µs',
        '> chatd ÷ this',
        '> delivery p50 / p99, ms',
        '> RSS MB',
        '> agents per core',
        '> chatd ÷ this',
      ],
      programs.map((row) => [
        LABELS[row.name] ?? row.name,
        formatNumber(row.cpuMicros),
        cell(row, 'cpuMicros'),
        `${formatNumber(row.p50, 1)} / ${formatNumber(row.p99, 1)}`,
        formatNumber(row.residentMb),
        formatNumber(row.perCore),
        cell(row, 'perCore'),
      ]),
    );
    const note =
      `CPU, delivery and RSS with ${agents} agents; ${overRounds(rounds)} of ${seconds} s. ` +
      `Agents per core: the largest number with a p99 below ${limitMs} ms. Bold: chatd is ahead.`;
    const proxy = programs.find(({ name }) => name === 'doStream');
    return {
      blocks: { agents: withProvenance(result, table, note) },
      figures: {
        rate: formatNumber(rate),
        limitMs: formatNumber(limitMs),
        perCore: formatNumber(chatd?.perCore),
        'perCoreTo.doStream': formatNumber(proxy && ratio(proxy, 'perCore'), 1),
      },
    };
  },
});
