export interface ServerData {
  /** About how long each case was measured in each round. */
  readonly seconds: number;
  readonly rows: readonly ServerRow[];
}

/** One program in one case: medians over its rounds. */
export interface ServerRow {
  readonly name: string;
  readonly durable: boolean;
  /** Earlier messages in each chat. */
  readonly history: number;
  /** Conversations at once. */
  readonly concurrency: number;
  readonly rounds: number;
  readonly stepsPerSecond: number;
  /** CPU seconds for 1,000 steps: of the program, of PostgreSQL, of both. */
  readonly peerCpu: number;
  readonly storeCpu: number | null;
  readonly totalCpu: number;
  /** Milliseconds from the request to the first text. */
  readonly firstTextP50: number;
  readonly firstTextP99: number;
  readonly residentMb: number;
  readonly walPerStep: number | null;
  readonly commitsPerStep: number | null;
  /** Of the machine, used by unrelated programs meanwhile. */
  readonly foreignShare: number;
}

/** Without the columns of the harness that nothing is written from. */
export function keptRow(row: ServerRow): ServerRow {
  return {
    name: row.name,
    durable: row.durable,
    history: row.history,
    concurrency: row.concurrency,
    rounds: row.rounds,
    stepsPerSecond: row.stepsPerSecond,
    peerCpu: row.peerCpu,
    storeCpu: row.storeCpu,
    totalCpu: row.totalCpu,
    firstTextP50: row.firstTextP50,
    firstTextP99: row.firstTextP99,
    residentMb: row.residentMb,
    walPerStep: row.walPerStep,
    commitsPerStep: row.commitsPerStep,
    foreignShare: row.foreignShare,
  };
}

export interface Program {
  readonly label: string;
  /** For charts. */
  readonly short: string;
  /** A turn that a crash cuts off goes on from its last finished step. */
  readonly goesOn: boolean;
  /** A sentence on why chatd is slower, where it is. */
  readonly because?: string;
}

/** In the order of the tables: chatd, what makes the same promise, then what makes a smaller one. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  chatd: { label: '**chatd**', short: 'chatd', goesOn: true },
  dbos: { label: 'DBOS', short: 'DBOS', goesOn: true },
  lg: { label: 'LangGraph with PostgresSaver', short: 'LangGraph', goesOn: true },
  restate: { label: 'Restate', short: 'Restate', goesOn: true },
  mastra: { label: 'Mastra with its PostgreSQL store', short: 'Mastra', goesOn: false },
  aisdk7: {
    label: 'the AI SDK (`streamText` and one INSERT a step)',
    short: 'AI SDK',
    goesOn: false,
    because:
      'It answers on the connection that asked and writes one row a step. chatd commits a response before its tools run and their results after, keeps the chat, its accounting and its search index with them, and speaks to its client through a public API and a stream that anybody may join at any time.',
  },
  floor: {
    label: 'the floor (`doStream` and two commits a tool step)',
    short: 'floor',
    goesOn: false,
    because:
      'It is the least that a server can do which commits twice a tool step with the same provider package: no lock, no queue, no accounting, no search, no API, no stream for others, and nothing that goes on with a turn. What chatd does beyond it is the difference.',
  },
  raw: {
    label: 'a loop by hand and one INSERT a step',
    short: 'by hand',
    goesOn: false,
    because:
      'It reads the one form of answer that this provider gives and makes no promise but the row it writes. No server that speaks to several providers through their packages gets there.',
  },
};
