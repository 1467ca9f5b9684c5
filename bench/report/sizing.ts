import { formatNumber, markdownTable, withProvenance } from './markdown.ts';
import { defineReport } from './report.ts';

interface Memory {
  /** After a collection; what came on top, but for the idle server. */
  readonly liveMb: number;
  /** What the process holds, all of it: it gives back late what it does not use. */
  readonly residentMb: number;
  readonly cores: number;
}

export interface SizingData {
  readonly idle: Memory & { readonly postgresCores: number };
  readonly streams: Memory & { readonly count: number };
  readonly running: Memory & {
    readonly chats: number;
    /** Deltas a second of each. */
    readonly rate: number;
    readonly postgresCores: number;
    /** A second, all of them together; fewer than they should be on a machine that is busy. */
    readonly deltas: number;
    readonly connections: number;
  };
  /** The same chats with viewers: deltas of the provider and events to viewers, a second. */
  readonly viewed: {
    readonly viewers: number;
    readonly cores: number;
    readonly deltas: number;
    readonly events: number;
  };
  /** Growth for each of so many chats, and what was written to the log of PostgreSQL for it. */
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
    // Seconds of a core for each delta of a model, and for each event to a viewer.
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
      ['one replica', '> memory in use, MB', '> held by the process, MB', '> cores'],
      [
        ['idle', ...measured(idle)],
        [`and ${whole(streams.count)} open streams, nothing happens`, ...added(streams)],
        [
          `and ${whole(running.chats)} chats that speak (${whole(running.rate)} deltas/s each), nobody watches`,
          ...added(running),
        ],
      ],
    );
    const work = markdownTable(
      ['a core is used up by about', '>'],
      [
        [`chats that speak at ${figures.rate} deltas/s, in the server`, figures.chatsPerCore],
        ['viewers of such chats', figures.viewersPerCore],
        ['events a second to viewers', figures.eventsPerCore],
        ['short turns a second, in the server', figures.turnsPerCore],
        ['short turns a second, in PostgreSQL', figures.turnsPerPostgresCore],
      ],
    );
    const growth = markdownTable(
      ['what is stored', '> database, KB', "> PostgreSQL's log, KB"],
      [
        [
          'a new chat with its first turn',
          figures.chatKb,
          formatNumber(database.chatWalBytes / KB, 1),
        ],
        ['a further turn', figures.turnKb, figures.walKb],
        [
          'a turn with a tool call (two steps)',
          formatNumber(database.toolTurnBytes / KB, 1),
          formatNumber(database.toolTurnWalBytes / KB, 1),
        ],
      ],
    );
    const note = `A question of ${whole(database.questionBytes)} bytes and an answer of ${whole(database.answerBytes)}; tables and indexes of ${whole(database.chats)} chats after \`VACUUM FULL\`.`;
    return {
      figures,
      blocks: {
        'sizing-memory': withProvenance(result, memory),
        'sizing-work': work,
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

/** Two digits are as much as such a figure is good for. */
function roughly(value: number): number {
  if (!Number.isFinite(value) || value <= 0) return Number.NaN;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}
