import { barChart } from './chart.ts';
import { formatNumber, markdownTable, overRounds, range, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';
import type { Result } from './result.ts';

export interface LoopData {
  readonly rounds: number;
  /** Medians over the rounds. */
  readonly streams: readonly StreamRow[];
  readonly histories: readonly HistoryRow[];
  /** Share of the time in which the provider process was busy. */
  readonly providerShare: number;
}

interface StreamRow {
  readonly scenario: string;
  readonly subject: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakRssMb: number;
  readonly lagMs: number;
}

interface HistoryRow {
  readonly size: number;
  readonly subject: string;
  readonly firstStepMs: number;
  readonly laterStepMs: number;
}

export const loopReport = defineReport<LoopData>({
  result: 'loop',
  command: 'npm run bench:loop -- --keep',
  render(result) {
    const { streams, histories } = result.data;
    return {
      blocks: {
        ...(streams.length > 0 && { loop: streamTable(result) }),
        ...(histories.length > 0 && { 'loop-history': historyTable(result) }),
      },
      figures: { ...streamFigures(streams), ...historyFigures(histories) },
      charts: streams.length > 0 ? { 'loop-cpu.svg': cpuChart(streams) } : {},
    };
  },
});

type Metric = 'wallMs' | 'cpuMs' | 'peakRssMb' | 'lagMs';

/** A metric of one subject in each scenario whose name contains the words. */
function valuesOf(
  streams: readonly StreamRow[],
  subject: string,
  metric: Metric,
  words = '',
): number[] {
  return streams
    .filter((row) => row.subject === subject && row.scenario.includes(words))
    .map((row) => row[metric]);
}

function ratios(streams: readonly StreamRow[], to: string, words: string): number[] {
  const ours = valuesOf(streams, 'loop', 'cpuMs', words);
  const theirs = valuesOf(streams, to, 'cpuMs', words);
  return ours.map((value, at) => value / (theirs[at] ?? Number.NaN));
}

function streamTable(result: Result<LoopData>): string {
  const { streams, rounds, providerShare } = result.data;
  const subjects = [...new Set(streams.map(({ subject }) => subject))];
  const scenarios = [...new Set(streams.map(({ scenario }) => scenario))];
  const all = (scenario: string, metric: Metric) =>
    subjects
      .map((subject) => valuesOf(streams, subject, metric, scenario)[0] ?? Number.NaN)
      .map((value) => formatNumber(value, value < 100 && metric === 'cpuMs' ? 1 : 0))
      .join(' / ');
  const table = markdownTable(
    [
      subjects.join(' / '),
      '> CPU ms',
      '> loop ÷ doStream',
      '> loop ÷ streamText',
      '> timer lag ms',
      '> peak RSS MB',
    ],
    scenarios.map((scenario) => [
      scenario,
      all(scenario, 'cpuMs'),
      formatNumber(ratios(streams, 'doStream', scenario)[0], 2),
      formatNumber(ratios(streams, 'streamText', scenario)[0], 2),
      all(scenario, 'lagMs'),
      all(scenario, 'peakRssMb'),
    ]),
  );
  const share = formatNumber(100 * providerShare);
  const note = `Values are ${overRounds(rounds)}. The provider process was busy ${share} % of the time.`;
  return withProvenance(result, table, note);
}

/** Only the scenarios with 200 streams. */
function cpuChart(streams: readonly StreamRow[]): string {
  const scenarios = [...new Set(streams.map(({ scenario }) => scenario))].filter((name) =>
    name.endsWith(', 200'),
  );
  const bursts = range(ratios(streams, 'streamText', 'text, burst, 200'), 2);
  return barChart({
    title: 'CPU for 200 concurrent streams',
    description: `CPU of the chatd loop, doStream and streamText in ${scenarios.length} scenarios. In a burst of text, the loop uses ${bursts} of the CPU of streamText.`,
    unit: 'seconds; lower is better; separate scale per group',
    scaleEachGroup: true,
    groups: scenarios.map((scenario) => ({
      name: scenario.replace(', 200', ''),
      bars: streams
        .filter((row) => row.scenario === scenario)
        .map(({ subject, cpuMs }) => ({
          name: subject,
          values: [cpuMs],
          label: formatNumber(cpuMs / 1000, 1),
          strong: subject === 'loop',
        })),
    })),
  });
}

function historyTable(result: Result<LoopData>): string {
  const table = markdownTable(
    ['> earlier messages', '', '> first step, ms', '> later steps, ms'],
    result.data.histories.map(({ size, subject, firstStepMs, laterStepMs }) => [
      formatNumber(size),
      subject,
      formatNumber(firstStepMs, 2),
      formatNumber(laterStepMs, 2),
    ]),
  );
  return withProvenance(result, table);
}

function streamFigures(streams: readonly StreamRow[]): Record<string, string> {
  const lag = (subject: string, words: string) =>
    formatNumber(Math.max(...valuesOf(streams, subject, 'lagMs', words)));
  const kinds = {
    burst: 'text, burst',
    paced1: 'text, paced, 1',
    paced: 'paced, 200',
    tools: 'tools',
  };
  return {
    ...Object.fromEntries(
      Object.entries(kinds).flatMap(([key, words]) => [
        [`${key}ToDoStream`, range(ratios(streams, 'doStream', words), 2)],
        [`${key}ToStreamText`, range(ratios(streams, 'streamText', words), 2)],
      ]),
    ),
    burstLag: lag('loop', 'text, burst, 200'),
    burstLagDoStream: lag('doStream', 'text, burst, 200'),
    burstLagStreamText: lag('streamText', 'text, burst, 200'),
    mostLag: lag('loop', ''),
  };
}

function historyFigures(histories: readonly HistoryRow[]): Record<string, string> {
  const ours = histories.filter(({ subject }) => subject === 'loop');
  return {
    laterStepShort: formatNumber(ours[0]?.laterStepMs, 2),
    laterStepLong: formatNumber(ours.at(-1)?.laterStepMs, 2),
  };
}
