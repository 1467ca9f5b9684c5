import type { TerminalInfo } from '@chatd/protocol';
import { limitReached, Refused } from '../../chat/refused.ts';
import {
  SandboxClosed,
  type TerminalSize,
  TerminalUnavailable,
} from '../../machine/drivers/driver.ts';
import { type HostedTerminals, TooManyTerminals } from '../../machine/machine.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { Workspaces } from '../workspaces.ts';
import { connectTerminal, type TerminalConnection } from './connect-terminal.ts';

/** Minimum time between two reports that a workspace is in use. */
const USED_MS = 10_000;

const RETRY_AFTER_SECONDS = 5;

/** A terminal to which a client can connect. */
export interface OpenTerminal {
  readonly isNew: boolean;
  /** Replays the output after byte `seen`, then follows it. */
  connect(connection: TerminalConnection, seen: number | undefined): void;
  /** Ends a new terminal that no client knows. */
  discard(): void;
}

export class Terminals {
  readonly #workspaces: Workspaces;

  constructor(workspaces: Workspaces) {
    this.#workspaces = workspaces;
  }

  async list(row: WorkspaceRow): Promise<TerminalInfo[]> {
    const workspace = await this.#workspaces.peek(row);
    const entries = (await workspace?.terminals.list()) ?? [];
    return entries.map(({ id, createdAt, viewers }) => ({
      id,
      created_at: new Date(createdAt).toISOString(),
      viewers,
    }));
  }

  /** Returns the given terminal if it exists, otherwise a new one. Throws `Refused`. */
  async open(
    { id: workspaceId }: Pick<WorkspaceRow, 'id'>,
    terminalId: string | undefined,
    size: TerminalSize,
  ): Promise<OpenTerminal> {
    try {
      const { terminals } = await this.#workspaces.use(workspaceId);
      const { id, isNew } = await terminals.open(terminalId, size);
      return {
        isNew,
        connect: (connection, seen) =>
          connectTerminal(connection, {
            terminals,
            id,
            isNew,
            seen,
            onUse: this.#reportUse(workspaceId),
          }),
        discard: () => void end(terminals, id),
      };
    } catch (error) {
      throw explained(error);
    }
  }

  #reportUse(workspaceId: string): () => void {
    const { clock } = this.#workspaces;
    let usedAt = Number.NEGATIVE_INFINITY;
    return () => {
      if (clock.now() - usedAt < USED_MS) return;
      usedAt = clock.now();
      this.#workspaces.used(workspaceId);
    };
  }
}

async function end(terminals: HostedTerminals, id: string): Promise<void> {
  const ignored = { onOutput: () => undefined, onEnd: () => undefined };
  const view = await terminals.attach(id, undefined, ignored).catch(() => undefined);
  view?.end();
}

function explained(error: unknown): unknown {
  if (error instanceof TerminalUnavailable) {
    const detail = `Terminals are not available in this workspace: ${error.message}`;
    return new Refused('workspace_not_ready', detail);
  }
  if (error instanceof TooManyTerminals) return limitReached(error.message, RETRY_AFTER_SECONDS);
  return error instanceof SandboxClosed ? new Refused('workspace_not_ready', error.message) : error;
}
