import { randomUUID } from 'node:crypto';
import type { TerminalInfo } from '@chatd/protocol';
import { Refused } from '../../chat/refused.ts';
import { limitReached } from '../../chat/refused.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { SandboxClosed, TerminalUnavailable, type TerminalSize } from '../../machine/drivers/driver.ts';
import type { Workspaces } from '../workspaces.ts';
import { Terminal } from './terminal.ts';

export interface TerminalsOptions {
  readonly workspaces: Workspaces;
  readonly keepMs?: number;
  readonly scrollbackBytes?: number;
  readonly perWorkspace?: number;
}

const KEEP_MS = 10 * 60_000;
const SCROLLBACK_BYTES = 256 * 1024;
const PER_WORKSPACE = 10;
/** Minimum time between two reports that a workspace is in use. */
const USED_MS = 10_000;

const RETRY_AFTER_SECONDS = 5;

export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #known = new Map<string, Map<string, Terminal>>();

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  list({ id }: Pick<WorkspaceRow, 'id'>): TerminalInfo[] {
    return [...(this.#known.get(id)?.values() ?? [])].map(({ info }) => info);
  }

  /** Returns the given terminal if it exists, otherwise a new one. Throws `Refused`. */
  async open(
    { id }: Pick<WorkspaceRow, 'id'>,
    terminalId: string | undefined,
    size: TerminalSize,
  ): Promise<{ readonly terminal: Terminal; readonly isNew: boolean }> {
    const known = this.#known.get(id)?.get(terminalId ?? '');
    if (known !== undefined) return { terminal: known, isNew: false };
    const { workspaces, perWorkspace = PER_WORKSPACE } = this.#options;
    if ((this.#known.get(id)?.size ?? 0) >= perWorkspace) {
      throw limitReached(
        `The workspace has ${perWorkspace} terminals, which is the maximum. Close one first.`,
        RETRY_AFTER_SECONDS,
      );
    }
    const terminal = this.#add(id);
    try {
      const { sandbox } = await workspaces.use(id);
      const running = await sandbox.terminal({
        argv: ['/bin/sh', '-c', START, 'sh', sandbox.shell],
        ...size,
        onOutput: (bytes) => terminal.output(bytes),
      });
      terminal.started(running);
      return { terminal, isNew: true };
    } catch (error) {
      this.#remove(id, terminal);
      throw explained(error);
    }
  }

  #add(id: string): Terminal {
    const { workspaces, keepMs = KEEP_MS, scrollbackBytes = SCROLLBACK_BYTES } = this.#options;
    const { clock } = workspaces;
    let usedAt = Number.NEGATIVE_INFINITY;
    const terminal = new Terminal({
      id: randomUUID(),
      clock,
      keepMs,
      scrollbackBytes,
      onUse() {
        if (clock.now() - usedAt < USED_MS) return;
        usedAt = clock.now();
        workspaces.used(id);
      },
      onEnd: () => this.#remove(id, terminal),
    });
    const all = this.#known.get(id) ?? new Map<string, Terminal>();
    this.#known.set(id, all.set(terminal.id, terminal));
    return terminal;
  }

  #remove(id: string, terminal: Terminal): void {
    const all = this.#known.get(id);
    all?.delete(terminal.id);
    if (all?.size === 0) this.#known.delete(id);
  }
}

/** Agent commands have no pager; interactive terminals get one if it is installed. */
const START = `command -v less >/dev/null 2>&1 && export PAGER='less -R' GIT_PAGER='less -FRX'
exec "$1"`;

function explained(error: unknown): unknown {
  if (error instanceof TerminalUnavailable) {
    const detail = `Terminals are not available in this workspace: ${error.message}`;
    return new Refused('workspace_not_ready', detail);
  }
  return error instanceof SandboxClosed ? new Refused('workspace_not_ready', error.message) : error;
}
