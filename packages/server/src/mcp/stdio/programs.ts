import { McpFailure } from '../mcp-failure.ts';

export interface ProgramLimits {
  readonly total: number;
  readonly perUser: number;
}

export const PROGRAM_LIMITS: ProgramLimits = { total: 64, perUser: 8 };

export interface ProgramHolder {
  readonly userId: string;
  readonly serverName: string;
  /** When the program became idle. Undefined: busy. */
  idleSince(): number | undefined;
  /** Ends the program. It is started again when needed. */
  end(): Promise<void>;
}

/**
 * Limits the MCP server programs of this process. When the limit is reached, the program that has been idle longest is
 * ended.
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

  /** Reserves capacity for a program. Returns a function to call when it has ended. */
  async reserve(holder: ProgramHolder): Promise<() => void> {
    const replaced = this.#toReplace(holder);
    const entry = { ...holder };
    if (replaced !== undefined) this.#running.delete(replaced);
    this.#running.add(entry);
    await replaced?.end();
    return () => this.#running.delete(entry);
  }

  /** The program to end first, if any. */
  #toReplace(holder: ProgramHolder): ProgramHolder | undefined {
    const { total, perUser } = this.#limits;
    const own = [...this.#running].filter(({ userId }) => userId === holder.userId);
    if (own.length >= perUser) {
      const why = `this user already has ${perUser} running MCP programs (CHATD_MCP_PROGRAMS_PER_USER)`;
      return oldestIdle(own) ?? refuse(holder, why);
    }
    if (this.#running.size < total) return undefined;
    const why = `this server already has ${total} running MCP programs (CHATD_MCP_PROGRAMS)`;
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
    `${serverName} is not available: ${why}. Try again when another chat has finished.`,
    { harmless: true, lost: true },
  );
}
