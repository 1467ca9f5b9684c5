import { McpFailure } from '../mcp-failure.ts';

export interface ProgramLimits {
  /** Programs of this process. */
  readonly total: number;
  /** Of them, those that run for one user. */
  readonly perUser: number;
}

export const PROGRAM_LIMITS: ProgramLimits = { total: 64, perUser: 8 };

/** What a program runs for. */
export interface ProgramHolder {
  readonly userId: string;
  /** As people call the server. */
  readonly serverName: string;
  /** Since when nothing was asked of the program; undefined while it works. */
  idleSince(): number | undefined;
  /** Ends the program. The holder starts it again when it is needed. */
  end(): Promise<void>;
}

/**
 * The programs of MCP servers that run in this process. When there is no room for another one, the program that has been
 * idle for the longest time ends.
 */
export class Programs {
  readonly #limits: ProgramLimits;
  readonly #running = new Set<ProgramHolder>();

  constructor(limits: ProgramLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Makes room for a program. Returns what to call when it has ended. */
  async reserve(holder: ProgramHolder): Promise<() => void> {
    const replaced = this.#toReplace(holder);
    const entry = { ...holder };
    if (replaced !== undefined) this.#running.delete(replaced);
    this.#running.add(entry);
    await replaced?.end();
    return () => this.#running.delete(entry);
  }

  /** The program that has to end first, if any. */
  #toReplace(holder: ProgramHolder): ProgramHolder | undefined {
    const { total, perUser } = this.#limits;
    const own = [...this.#running].filter(({ userId }) => userId === holder.userId);
    if (own.length >= perUser) {
      const why = `${perUser} MCP programs already run for this user (CHATD_MCP_PROGRAMS_PER_USER)`;
      return oldestIdle(own) ?? refuse(holder, why);
    }
    if (this.#running.size < total) return undefined;
    const why = `${total} MCP programs already run on this server (CHATD_MCP_PROGRAMS)`;
    return oldestIdle([...this.#running]) ?? refuse(holder, why);
  }
}

function oldestIdle(holders: readonly ProgramHolder[]): ProgramHolder | undefined {
  const idle = holders.flatMap((holder) => {
    const since = holder.idleSince();
    return since === undefined ? [] : [{ holder, since }];
  });
  return idle.toSorted((a, b) => a.since - b.since)[0]?.holder;
}

function refuse({ serverName }: ProgramHolder, why: string): never {
  throw new McpFailure(
    `${serverName} cannot be used now: ${why}. Try again when another chat has finished.`,
    { harmless: true, lost: true },
  );
}
