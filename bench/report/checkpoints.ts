import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface CheckpointsData {
  readonly files: number;
  readonly changed: number;
  readonly rounds: number;
  readonly rows: readonly CheckpointsRow[];
}

interface CheckpointsRow {
  readonly checkpoint: string;
  readonly p50Ms: number;
  readonly p90Ms: number;
  /** What the store grows by. */
  readonly bytes: number;
}

export const checkpointsReport = defineReport<CheckpointsData>({
  result: 'checkpoints',
  command: 'npm run bench:checkpoints -- --keep',
  render(result) {
    const { rows, files, changed, rounds } = result.data;
    const table = markdownTable(
      ['checkpoint', '> p50 ms', '> p90 ms', '> stored KiB'],
      rows.map(({ checkpoint, p50Ms, p90Ms, bytes }) => [
        checkpoint,
        formatNumber(p50Ms, 0),
        formatNumber(p90Ms, 0),
        formatNumber(bytes / 1024, 1),
      ]),
    );
    return {
      blocks: {
        checkpoints: withProvenance(
          result,
          table,
          `${formatNumber(files)} files; ${rounds} rounds, each with ${changed} changed files.`,
        ),
      },
      figures: { changed: formatNumber(rows.at(-1)?.p50Ms, 0) },
    };
  },
});
