import { setTimeout as sleep } from 'node:timers/promises';
import {
  CallLost,
  type Command,
  type CommandExit,
  type CommandRequest,
  type Commands,
  type HostedSpec,
  type HostedWorkspace,
  type OwnMachine,
} from '../../packages/server/src/machine/machine.ts';
import type { Effect } from '../deployment/effects.ts';
import type { World } from './world.ts';

interface Entry {
  readonly id: string;
  /** The start of the machine that began it. */
  readonly boot: string;
  exit: CommandExit | undefined;
  output: string;
}

/** What survives the death of a machine. */
export class MachineDisk {
  readonly journal = new Map<string, Entry>();
  readonly settled = new Set<string>();
}

/** Tells effects of machines from those of replicas. */
export const MACHINE_PID = 1;
const KILLED: CommandExit = { code: null, signal: 'SIGKILL' };

/**
 * A machine whose journal keeps the promises of the real one: a call is recorded before it starts, a repeated request
 * attaches to it, and a call whose machine restarted is lost. A command `KEY MS` records its effect under its key.
 */
export class SimulatedMachine {
  readonly #world: World;
  readonly #disk: MachineDisk;
  readonly #effects: Effect[];
  readonly #boot: string;
  readonly #running = new Map<string, { kill: () => void; readonly exit: Promise<CommandExit> }>();
  readonly #workspaces = new Map<string, HostedWorkspace>();
  /** Never settles. Its own, because reactions to it keep the whole simulation in memory. */
  readonly #closed = Promise.withResolvers<string>().promise;

  constructor(world: World, disk: MachineDisk, effects: Effect[], boot: string) {
    this.#world = world;
    this.#disk = disk;
    this.#effects = effects;
    this.#boot = boot;
  }

  /** Without the parts that no simulated tool uses. */
  asMachine(id: string, name: string): OwnMachine {
    const { journal, settled } = this.#disk;
    const machine: Partial<OwnMachine> = {
      id,
      name,
      capabilities: async () => ({ sandbox: true, docker: false, desktop: false }),
      workspaces: async () => [...this.#workspaces.keys()],
      calls: async () =>
        [...journal].map(([call, entry]) => ({ call, running: this.#runs(entry) })),
      settle: async (calls) => {
        for (const call of calls) {
          const entry = journal.get(call);
          if (entry !== undefined) this.#running.get(entry.id)?.kill();
          journal.delete(call);
          settled.add(call);
        }
      },
      open: async (spec) => this.#open(spec),
      peek: async (workspace) => this.#workspaces.get(workspace),
    };
    return machine as OwnMachine;
  }

  #open({ id }: HostedSpec): HostedWorkspace {
    const known = this.#workspaces.get(id);
    if (known !== undefined) return known;
    const commands: Partial<Commands> = {
      start: (request) => this.#start(request),
      signal: async (command) => this.#running.get(command)?.kill(),
      keep: async () => undefined,
    };
    const workspace: Partial<HostedWorkspace> = {
      root: '/workspace',
      shell: '/bin/sh',
      commands: commands as Commands,
      isClosed: () => false,
      closed: this.#closed,
    };
    this.#workspaces.set(id, workspace as HostedWorkspace);
    return workspace as HostedWorkspace;
  }

  #runs({ boot, exit }: Entry): boolean {
    return boot === this.#boot && exit === undefined;
  }

  async #start({
    call = '',
    command,
    attach,
    from = 0,
    onOutput,
  }: CommandRequest): Promise<Command> {
    const { journal, settled } = this.#disk;
    const known = journal.get(call);
    if (known === undefined && (attach === true || settled.has(call))) {
      throw new CallLost('The machine does not know the call.');
    }
    if (known !== undefined && known.exit === undefined && !this.#runs(known)) {
      throw new CallLost('The machine restarted while the command ran.');
    }
    const entry = known ?? this.#begin(call, command);
    const exit = (async () => {
      const ended = entry.exit ?? (await this.#running.get(entry.id)?.exit) ?? KILLED;
      const output = Buffer.from(entry.output).subarray(from);
      if (output.length > 0) await onOutput(output, from);
      return ended;
    })();
    exit.catch(() => undefined);
    return { id: entry.id, isAttached: known !== undefined, exit, leave: () => undefined };
  }

  #begin(call: string, command: string): Entry {
    const [key = '', ms = '0'] = command.split(' ');
    const entry: Entry = {
      id: this.#world.random.uuid(),
      boot: this.#boot,
      exit: undefined,
      output: '',
    };
    this.#disk.journal.set(call, entry);
    const killed = new AbortController();
    const record = (what: Effect['what']) =>
      this.#effects.push({ key, what, pid: MACHINE_PID, at: this.#world.time });
    record('begin');
    const exit = sleep(Number(ms), undefined, { signal: killed.signal }).then(
      () => {
        record('end');
        entry.output = key;
        return { code: 0, signal: null };
      },
      () => KILLED,
    );
    const ended = exit.then((how) => (entry.exit = how));
    this.#running.set(entry.id, { kill: () => killed.abort(), exit: ended });
    return entry;
  }
}
