export interface ServerData {
  /** Approximate duration of each case per round. */
  readonly seconds: number;
  readonly rows: readonly ServerRow[];
  /** chatd with several processes behind one port. */
  readonly processes: readonly (ServerRow & { readonly processes: number })[];
}

/** One program in one case; medians over the rounds. */
export interface ServerRow extends Measurement {
  readonly name: string;
  readonly rounds: number;
}

export interface Measurement {
  /** Model calls per conversation. */
  readonly steps: number;
  /** Earlier messages in each chat. */
  readonly history: number;
  /** Concurrent conversations. */
  readonly concurrency: number;
  readonly stepsPerSecond: number;
  /** CPU seconds per 1,000 steps: program with its client, PostgreSQL or another store, total. */
  readonly peerCpu: number;
  readonly storeCpu: number;
  readonly totalCpu: number;
  /** In chats with earlier messages: total CPU of the turn before the measured one, the first of the process in the chat. */
  readonly firstTurnCpu: number | null;
  /** Milliseconds from the request to the first text. */
  readonly firstTextP50: number;
  readonly firstTextP99: number;
  /** RSS of the program, without its client and PostgreSQL. */
  readonly residentMb: number;
  readonly walPerStep: number | null;
  readonly commitsPerStep: number | null;
  /** Share of the machine used by unrelated programs. */
  readonly foreignShare: number;
}

export interface Program {
  readonly label: string;
  /** Label in charts. */
  readonly short: string;
  /** Whether a turn resumes from its last finished step after a crash. */
  readonly resumes: boolean;
  /** Why chatd is slower, if it is. */
  readonly because?: string;
}

/** chatd with a client that first posts the message and then opens the stream. */
export const TWO_REQUESTS = 'two-requests';

/** In table order: chatd, programs with the same guarantee, programs with a weaker one. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  chatd: { label: '**chatd**', short: 'chatd', resumes: true },
  [TWO_REQUESTS]: {
    label: 'chatd, two requests per turn',
    short: 'chatd, two requests',
    resumes: true,
  },
  dbos: { label: 'DBOS', short: 'DBOS', resumes: true },
  langgraph: { label: 'LangGraph with PostgresSaver', short: 'LangGraph', resumes: true },
  restate: { label: 'Restate', short: 'Restate', resumes: true },
  mastra: { label: 'Mastra with its PostgreSQL store', short: 'Mastra', resumes: false },
  aisdk: {
    label: 'the AI SDK (`streamText`, one INSERT per step)',
    short: 'AI SDK',
    resumes: false,
    because:
      'It responds on the same connection and writes one row per step. chatd commits each response before its tools run and commits the tool results, together with usage records and the search queue. Its clients use a public API with streams that any client can join at any time.',
  },
  baseline: {
    label: 'the baseline (`doStream`, two commits per tool step)',
    short: 'baseline',
    resumes: false,
    because:
      'It is the minimum for a server that commits twice per tool step with the same provider package: no locks, queue, usage records, search, API, shared streams or crash recovery. The difference is the cost of these features.',
  },
  handwritten: {
    label: 'a handwritten loop (one INSERT per step)',
    short: 'handwritten',
    resumes: false,
    because:
      'It parses only the response format of this provider and guarantees nothing but the row it writes. A server that supports several providers through their packages cannot be as fast.',
  },
};
