import type { LoopData } from '../report/loop.ts';
import { median } from '../report/statistics.ts';
import { messageFrom, startChild } from './children.ts';
import { HISTORY_SIZES, HISTORY_SUBJECTS, type HistorySample } from './history-sample.ts';

export async function compareHistories(rounds: number): Promise<LoopData['histories']> {
  const rows = HISTORY_SIZES.flatMap((size) =>
    HISTORY_SUBJECTS.map((subject) => ({ size, subject, samples: [] as HistorySample[] })),
  );
  for (let round = 1; round <= rounds; round++) {
    for (const { size, subject, samples } of rows) {
      process.stderr.write(`round ${round} of ${rounds}: ${size} messages, ${subject}\n`);
      const child = startChild(['history', subject, String(size)]);
      samples.push((await messageFrom(child)) as HistorySample);
    }
  }
  return rows.map(({ size, subject, samples }) => ({
    size,
    subject,
    firstStepMs: median(samples.map(({ firstStepMs }) => firstStepMs)),
    laterStepMs: median(samples.map(({ laterStepMs }) => laterStepMs)),
  }));
}
