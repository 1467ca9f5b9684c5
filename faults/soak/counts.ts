/** What a soak does all the time. A run in which one of them did not happen proves nothing about it. */
export const LOAD_KINDS = [
  'new chats',
  'turns answered',
  'queued messages',
  'messages that steer',
  'messages that interrupt',
  'interrupts',
  'edits at rest',
  'edits of a running turn',
  'server tool calls',
  'client tool calls',
  'subagents',
  'queues filled',
  'messages refused by a full queue',
  'edits while the queue is full',
  'queued messages promoted',
  'queued messages moved',
  'queued messages reworded',
  'queued messages taken back',
  'calls allowed',
  'calls denied',
  'decisions after the replica that asked was gone',
  'decisions of two clients at once',
  'interrupts instead of a decision',
  'questions answered',
  'plans rejected',
  'plans accepted',
  'clients that died and came back',
  'results after the replica that asked was gone',
  'results of two clients at once',
  'compactions on request',
  'compactions of a full context',
  'forks',
  'forks of a running turn',
  'commands in a workspace',
  'spend limits reached',
  'users deleted with all they had',
  'rate limits of the provider',
  'answers cut by the provider',
  'chats not archived in mid-turn',
  'chats not deleted in mid-turn',
  'chats deleted and restored in use',
  'chats archived',
  'chats deleted',
  'chats restored',
  'noisy requests',
  'noisy requests refused',
  'streams by SSE',
  'streams by WebSocket',
  'chats judged',
] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

export const DISTURBANCES = ['SIGTERM', 'kill -9', 'PostgreSQL crash'] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

export type Kind = LoadKind | Disturbance;

/** How often everything has happened so far. */
export class Counts {
  readonly #counts = new Map<Kind, number>();

  add(kind: Kind, times = 1): void {
    this.#counts.set(kind, this.of(kind) + times);
  }

  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Everything that a soak does, and everything that is done to it. */
  allHappened(): boolean {
    return Object.values(this.all()).every((count) => count > 0);
  }

  all(): Record<string, number> {
    return Object.fromEntries(
      [...LOAD_KINDS, ...DISTURBANCES].map((kind) => [kind, this.of(kind)]),
    );
  }
}

/** The kinds of load that did not happen between two moments. */
export const idleKinds = (
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): LoadKind[] => LOAD_KINDS.filter((kind) => (after[kind] ?? 0) <= (before[kind] ?? 0));
