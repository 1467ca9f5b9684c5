import { machineTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

export interface MachinesData {
  readonly calls: number;
  /** Medians in milliseconds. */
  readonly execute: { readonly local: number; readonly remote: number };
  /** Megabytes per second, of the median. */
  readonly read: { readonly mb: number; readonly local: number; readonly remote: number };
  readonly terminals: {
    readonly count: number;
    /** Total per second. */
    readonly updates: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
  };
  /** Per machine that is connected to a replica. `cores` is the total. */
  readonly idle: { readonly machines: number; readonly heapBytes: number; readonly cores: number };
}

export const machinesReport = defineReport<MachinesData>({
  result: 'machines',
  command: 'npm run bench:machines -- --keep',
  render(result) {
    const { execute, read, terminals, idle, calls } = result.data;
    const executeRatio = formatNumber(execute.remote / execute.local, 2);
    const readRatio = formatNumber(read.remote / read.local, 2);
    const heapKb = formatNumber(idle.heapBytes / 1024, 1);
    const p99 = formatNumber(terminals.p99Ms, 1);
    const table = markdownTable(
      ['operation', '> local', '> remote', '> ratio', 'target'],
      [
        [
          '`execute true`, p50 ms',
          formatNumber(execute.local, 2),
          formatNumber(execute.remote, 2),
          executeRatio,
          'at most 1.5',
        ],
        [
          `read ${read.mb} MB, MB/s`,
          formatNumber(read.local),
          formatNumber(read.remote),
          readRatio,
          'at least 0.5',
        ],
        [
          `${terminals.count} terminals, ${formatNumber(terminals.updates)} updates/s, p99 ms`,
          '',
          p99,
          '',
          'at most 100 ms',
        ],
        [
          `${formatNumber(idle.machines)} idle machines, KB of heap each`,
          '',
          heapKb,
          '',
          'at most 30 KB',
        ],
      ],
    );
    return {
      blocks: {
        'scaling-machines': withProvenance(result, machineTable(result.data)),
        machines: withProvenance(result, table, `${formatNumber(calls)} calls of \`execute\`.`),
      },
      figures: {
        execute: executeRatio,
        read: readRatio,
        terminalsP99: p99,
        idleKb: heapKb,
        idleCores: formatNumber(idle.cores, 3),
      },
    };
  },
});
