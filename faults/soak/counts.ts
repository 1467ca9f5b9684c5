/** Kinds of load. Each must occur in every run. */
export const LOAD_KINDS = [
  'new chats',
  'turns answered',
  'queued messages',
  'steering messages',
  'interrupting messages',
  'interrupts',
  'edits of idle chats',
  'edits during a turn',
  'server tool calls',
  'client tool calls',
  'subagents',
  'full queues',
  'messages rejected by a full queue',
  'edits with a full queue',
  'queued messages promoted',
  'queued messages moved',
  'queued messages edited',
  'queued messages removed',
  'calls allowed',
  'calls denied',
  'decisions after the requesting replica stopped',
  'concurrent decisions of two clients',
  'interrupts instead of decisions',
  'questions answered',
  'plans rejected',
  'plans accepted',
  'reconnected tool clients',
  'results after the requesting replica stopped',
  'concurrent results of two clients',
  'compactions on request',
  'automatic compactions',
  'forks',
  'forks during a turn',
  'workspace commands',
  'commands on a machine',
  'spend limits reached',
  'users deleted with their data',
  'provider rate limits',
  'responses reset by the provider',
  'archive requests rejected during a turn',
  'delete requests rejected during a turn',
  'chats deleted and restored between turns',
  'chats archived',
  'chats deleted',
  'chats restored',
  'noisy requests',
  'noisy requests rejected',
  'SSE streams',
  'WebSocket streams',
  'chats checked',
] as const;
export type LoadKind = (typeof LOAD_KINDS)[number];

export const INJECTED_FAULTS = [
  'SIGTERM',
  'kill -9',
  'PostgreSQL crash',
  'machine disconnected',
  'machine kill -9',
] as const;
export type InjectedFault = (typeof INJECTED_FAULTS)[number];

export type Kind = LoadKind | InjectedFault;

/** Number of occurrences by kind. */
export class Counts {
  readonly #counts = new Map<Kind, number>();

  add(kind: Kind, times = 1): void {
    this.#counts.set(kind, this.of(kind) + times);
  }

  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Whether every kind of load and every fault has occurred. */
  allOccurred(): boolean {
    return Object.values(this.all()).every((count) => count > 0);
  }

  all(): Record<string, number> {
    return Object.fromEntries(
      [...LOAD_KINDS, ...INJECTED_FAULTS].map((kind) => [kind, this.of(kind)]),
    );
  }
}

/** Kinds of load that did not occur between two samples. */
export const idleKinds = (
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): LoadKind[] => LOAD_KINDS.filter((kind) => (after[kind] ?? 0) <= (before[kind] ?? 0));
