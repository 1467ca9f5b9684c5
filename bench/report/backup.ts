import { formatNumber, markdownTable, overRounds, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface BackupData {
  readonly messages: number;
  readonly chats: number;
  readonly rounds: number;
  readonly databaseMegabytes: number;
  readonly rows: readonly BackupRow[];
}

export interface BackupRow {
  readonly program: string;
  readonly backupSeconds: number;
  readonly restoreSeconds: number;
  /** Size of the file. */
  readonly megabytes: number;
}

export const backupReport = defineReport<BackupData>({
  result: 'backup',
  command: 'npm run bench:backup -- --keep',
  render(result) {
    const { rows, messages, chats, rounds, databaseMegabytes } = result.data;
    const table = markdownTable(
      ['', '> backup, s', '> restore, s', '> file, MB'],
      rows.map(({ program, backupSeconds, restoreSeconds, megabytes }) => [
        program,
        formatNumber(backupSeconds, 1),
        formatNumber(restoreSeconds, 1),
        formatNumber(megabytes),
      ]),
    );
    const note = `${formatNumber(messages)} messages in ${formatNumber(chats)} chats, a database of ${formatNumber(databaseMegabytes)} MB without the search index; ${overRounds(rounds)}.`;
    return { blocks: { backup: withProvenance(result, table, note) } };
  },
});
