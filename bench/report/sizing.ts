import { loadTable } from '../scaling/table.ts';
import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

interface Memory {
  /** Heap after garbage collection; except for the idle server, the increase. */
  readonly liveMb: number;
  /** RSS of the process, which returns unused memory late. */
  readonly residentMb: number;
  readonly cores: number;
}

export interface SizingData {
  readonly idle: Memory & { readonly postgresCores: number };
  readonly streams: Memory & { readonly count: number };
  readonly running: Memory & {
    readonly chats: number;
    /** Deltas per second and chat. */
    readonly rate: number;
    readonly postgresCores: number;
    /** Total deltas per second; below the target on a busy machine. */
    readonly deltas: number;
    readonly connections: number;
  };
  /** The same chats with viewers: provider deltas and viewer events per second. */
  readonly viewed: {
    readonly viewers: number;
    readonly cores: number;
    readonly deltas: number;
    readonly events: number;
  };
  /** Database growth and WAL volume per chat and turn. */
  readonly database: {
    readonly chats: number;
    readonly questionBytes: number;
    readonly answerBytes: number;
    readonly chatBytes: number;
    readonly chatWalBytes: number;
    readonly turnBytes: number;
    readonly toolTurnBytes: number;
    readonly turnCpuMs: number;
    readonly turnPostgresCpuMs: number;
    readonly turnWalBytes: number;
    readonly toolTurnWalBytes: number;
  };
}

const KB = 1024;

export const sizingReport = defineReport<SizingData>({
  result: 'sizing',
  command: 'npm run bench:sizing -- --keep',
  render(result) {
    const { idle, streams, running, viewed, database } = result.data;
    // CPU seconds per model delta and per viewer event.
    const perDelta = (running.cores - idle.cores) / running.deltas;
    const perEvent = (viewed.cores - idle.cores - perDelta * viewed.deltas) / viewed.events;
    const figures = {
      idleMb: whole(idle.residentMb),
      streamsMb: whole((streams.liveMb / streams.count) * 1000),
      runningKb: whole((running.liveMb * KB) / running.chats),
      rate: whole(running.rate),
      chatsPerCore: whole(roughly(1 / perDelta / running.rate)),
      viewersPerCore: whole(roughly(1 / perEvent / running.rate)),
      eventsPerCore: whole(roughly(1 / perEvent)),
      turnsPerCore: whole(roughly(1000 / database.turnCpuMs)),
      turnsPerPostgresCore: whole(roughly(1000 / database.turnPostgresCpuMs)),
      connections: whole(running.connections),
      chatKb: formatNumber(database.chatBytes / KB, 1),
      turnKb: formatNumber(database.turnBytes / KB, 1),
      stepKb: formatNumber((database.toolTurnBytes - database.turnBytes) / KB, 1),
      walKb: formatNumber(database.turnWalBytes / KB, 1),
      thousandChatsMb: formatNumber(
        (1000 * (database.chatBytes + 9 * database.toolTurnBytes)) / KB / KB,
      ),
    };
    const memory = markdownTable(
      ['one replica', '> heap used, MB', '> RSS, MB', '> cores'],
      [
        ['idle', ...measured(idle)],
        [`plus ${whole(streams.count)} idle streams`, ...added(streams)],
        [
          `plus ${whole(running.chats)} streaming chats (${whole(running.rate)} deltas/s each), no viewers`,
          ...added(running),
        ],
      ],
    );
    const work = markdownTable(
      ['capacity per core', '>'],
      [
        [`chats streaming ${figures.rate} deltas/s, server`, figures.chatsPerCore],
        ['viewers of such chats', figures.viewersPerCore],
        ['viewer events per second', figures.eventsPerCore],
        ['short turns per second, server', figures.turnsPerCore],
        ['short turns per second, PostgreSQL', figures.turnsPerPostgresCore],
      ],
    );
    const growth = markdownTable(
      ['operation', '> database, KB', '> WAL, KB'],
      [
        [
          'new chat with its first turn',
          figures.chatKb,
          formatNumber(database.chatWalBytes / KB, 1),
        ],
        ['another turn', figures.turnKb, figures.walKb],
        [
          'turn with a tool call (two steps)',
          formatNumber(database.toolTurnBytes / KB, 1),
          formatNumber(database.toolTurnWalBytes / KB, 1),
        ],
      ],
    );
    const loads = loadTable(result.data);
    const note = `Messages of ${whole(database.questionBytes)} bytes, answers of ${whole(database.answerBytes)} bytes; tables and indexes of ${whole(database.chats)} chats after \`VACUUM FULL\`.`;
    return {
      figures,
      blocks: {
        'sizing-memory': withProvenance(result, memory),
        'sizing-work': work,
        'scaling-load': withProvenance(result, loads),
        'sizing-database': withProvenance(result, growth, note),
      },
    };
  },
});

const whole = (value: number) => formatNumber(Math.round(value));

const measured = ({ liveMb, residentMb, cores }: Memory) => [
  formatNumber(liveMb),
  formatNumber(residentMb),
  formatNumber(cores, 2),
];

const added = (memory: Memory) => {
  const [live = '', ...rest] = measured(memory);
  return [`+ ${live}`, ...rest];
};

/** Rounds to two significant digits. */
function roughly(value: number): number {
  if (!Number.isFinite(value) || value <= 0) return Number.NaN;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}
