import { randomUUID } from 'node:crypto';
import type { Clock } from '@chatd/loop';
import type { Sandbox, TerminalSize } from '../drivers/driver.ts';
import {
  type HostedTerminals,
  type TerminalEntry,
  type TerminalView,
  type TerminalViewer,
  TooManyTerminals,
} from '../machine.ts';
import { LocalTerminal } from './local-terminal.ts';

export interface TerminalLimits {
  /** How long a terminal is kept without viewers. */
  readonly keepMs?: number;
  readonly scrollbackBytes?: number;
  readonly perWorkspace?: number;
}

const KEEP_MS = 10 * 60_000;
const SCROLLBACK_BYTES = 256 * 1024;
const PER_WORKSPACE = 10;

/** Agent commands have no pager; interactive terminals get one if it is installed. */
const START = `command -v less >/dev/null 2>&1 && export PAGER='less -R' GIT_PAGER='less -FRX'
exec "$1"`;

/** The terminals of an open workspace. */
export class LocalTerminals implements HostedTerminals {
  readonly #sandbox: Sandbox;
  readonly #clock: Clock;
  readonly #limits: TerminalLimits;
  readonly #onInput: () => void;
  readonly #all = new Map<string, LocalTerminal>();

  constructor(sandbox: Sandbox, clock: Clock, limits: TerminalLimits, onInput: () => void) {
    this.#sandbox = sandbox;
    this.#clock = clock;
    this.#limits = limits;
    this.#onInput = onInput;
  }

  async list(): Promise<readonly TerminalEntry[]> {
    return [...this.#all.values()].map(({ entry }) => entry);
  }

  async open(
    id: string | undefined,
    size: TerminalSize,
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    if (id !== undefined && this.#all.has(id)) return { id, isNew: false };
    const { perWorkspace = PER_WORKSPACE } = this.#limits;
    if (this.#all.size >= perWorkspace) throw new TooManyTerminals(perWorkspace);
    const terminal = new LocalTerminal({
      id: randomUUID(),
      clock: this.#clock,
      scrollbackBytes: this.#limits.scrollbackBytes ?? SCROLLBACK_BYTES,
      keepMs: this.#limits.keepMs ?? KEEP_MS,
      onInput: this.#onInput,
      onEnd: () => this.#all.delete(terminal.id),
    });
    this.#all.set(terminal.id, terminal);
    try {
      const running = await this.#sandbox.terminal({
        argv: ['/bin/sh', '-c', START, 'sh', this.#sandbox.shell],
        ...size,
        onOutput: (bytes) => terminal.output(bytes),
      });
      terminal.started(running);
      return { id: terminal.id, isNew: true };
    } catch (error) {
      this.#all.delete(terminal.id);
      throw error;
    }
  }

  async attach(
    id: string,
    seen: number | undefined,
    viewer: TerminalViewer,
  ): Promise<TerminalView | undefined> {
    return this.#all.get(id)?.attach(seen, viewer);
  }
}
