import type { HistorySample } from './history-sample.ts';
import type { Sample } from './sample.ts';
import type { Scenario } from './scenario.ts';
import type { SubjectName } from './subject.ts';

export interface StreamRow {
  scenario: Scenario;
  subject: SubjectName;
  samples: readonly Sample[];
}

export interface HistoryRow {
  size: number;
  subject: string;
  samples: readonly HistorySample[];
}

/** Everyone beside bare `doStream`, the least that a stream can cost with a provider package. */
export function streamTable(rows: readonly StreamRow[]): string {
  const lines = [
    '| | | wall ms | CPU ms | ÷ doStream | ÷ streamText | peak RSS MB | timer lag ms |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const row of rows) {
    const of = (pick: (sample: Sample) => number) => median(row.samples.map(pick));
    const cpu = of(({ cpuMs }) => cpuMs);
    const cells = [
      row.scenario.name,
      row.subject,
      of(({ wallMs }) => wallMs).toFixed(1),
      cpu.toFixed(1),
      (cpu / cpuOf(rows, row.scenario, 'doStream')).toFixed(2),
      (cpu / cpuOf(rows, row.scenario, 'streamText')).toFixed(2),
      of(({ peakRssMb }) => peakRssMb).toFixed(0),
      of(({ lagMs }) => lagMs).toFixed(0),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  return lines.join('\n');
}

export function historyTable(rows: readonly HistoryRow[]): string {
  const lines = [
    '| earlier messages | | until the first question, ms | each later step, ms |',
    '| ---: | --- | ---: | ---: |',
  ];
  for (const { size, subject, samples } of rows) {
    const first = median(samples.map(({ firstStepMs }) => firstStepMs)).toFixed(2);
    const later = median(samples.map(({ laterStepMs }) => laterStepMs)).toFixed(2);
    lines.push(`| ${size} | ${subject} | ${first} | ${later} |`);
  }
  return lines.join('\n');
}

function cpuOf(rows: readonly StreamRow[], scenario: Scenario, subject: SubjectName): number {
  const row = rows.find((row) => row.scenario === scenario && row.subject === subject);
  return median(row?.samples.map(({ cpuMs }) => cpuMs) ?? []);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
