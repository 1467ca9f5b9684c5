import { messageFrom, startChild } from './children.ts';
import { HISTORY_SIZES, HISTORY_SUBJECTS, type HistorySample } from './history-sample.ts';
import { historyTable } from './table.ts';

export async function compareHistories(rounds: number): Promise<string> {
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
  return historyTable(rows);
}
