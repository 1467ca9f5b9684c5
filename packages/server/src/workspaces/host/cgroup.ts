import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from '../driver.ts';

const MOUNT = '/sys/fs/cgroup';

/** What a limit is written to: version 2 of control groups has one tree, version 1 one for each controller. */
interface Layout {
  readonly memory: { readonly parent: string; readonly file: string };
  readonly processes: { readonly parent: string; readonly file: string };
  /** Undefined: the machine has no CPU controller to delegate. */
  readonly cpu:
    | { readonly parent: string; readonly file: string; readonly share: number }
    | undefined;
}

/** Half of what the kernel gives every other group, so the server and the database go first when the CPU is short. */
const CPU_WEIGHT = 50;
const CPU_SHARES = 512;

/**
 * Control groups hold a workspace as a whole to its limits. They can be had as root, or where the service manager
 * delegated them; undefined elsewhere. `mount` is where they are, and `own` what /proc/self/cgroup says.
 */
export function findCgroups(mount: string = MOUNT, own: string = ownGroups()): Cgroups | undefined {
  const lines = own.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const pathOf = (controller: string) =>
    lines.find((line) => line?.[1]?.split(',').includes(controller))?.[2];
  const unified = pathOf('');
  const base = unified === undefined ? undefined : join(mount, unified);
  for (const layout of [
    // Where the service manager put us into a group below the one that it delegated, that one is our parent.
    base === undefined ? undefined : (versionTwo(base) ?? versionTwo(dirname(base))),
    versionOne(mount, pathOf('memory'), pathOf('pids'), pathOf('cpu')),
  ]) {
    if (layout === undefined || !usable(layout)) continue;
    removeAbandoned(layout);
    return new Cgroups(layout);
  }
  return undefined;
}

/** Empty where there are none. */
function ownGroups(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}

function versionTwo(base: string): Layout | undefined {
  try {
    const controllers = readFileSync(join(base, 'cgroup.controllers'), 'utf8').split(/\s+/);
    if (!controllers.includes('memory') || !controllers.includes('pids')) return undefined;
    // Refused while the group has processes of its own, unless it is the root.
    writeFileSync(join(base, 'cgroup.subtree_control'), '+memory +pids');
    const hasCpu = controllers.includes('cpu') && enableCpu(base);
    return {
      memory: { parent: base, file: 'memory.max' },
      processes: { parent: base, file: 'pids.max' },
      cpu: hasCpu ? { parent: base, file: 'cpu.weight', share: CPU_WEIGHT } : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Refused where real-time processes are in the group. Memory and processes are limited all the same. */
function enableCpu(base: string): boolean {
  try {
    writeFileSync(join(base, 'cgroup.subtree_control'), '+cpu');
    return true;
  } catch {
    return false;
  }
}

function versionOne(
  mount: string,
  memory: string | undefined,
  pids: string | undefined,
  cpu: string | undefined,
): Layout | undefined {
  if (memory === undefined || pids === undefined) return undefined;
  return {
    memory: { parent: join(mount, 'memory', memory), file: 'memory.limit_in_bytes' },
    processes: { parent: join(mount, 'pids', pids), file: 'pids.max' },
    cpu: cpu === undefined ? undefined : versionOneCpu(join(mount, 'cpu', cpu)),
  };
}

const versionOneCpu = (parent: string) =>
  existsSync(join(parent, 'cpu.shares'))
    ? { parent, file: 'cpu.shares', share: CPU_SHARES }
    : undefined;

/** Tried, not guessed: whether a group can be made and takes a limit. */
function usable({ memory, processes }: Layout): boolean {
  const name = `chatd-probe-${process.pid}`;
  try {
    for (const { parent, file } of [memory, processes]) {
      const group = join(parent, name);
      mkdirSync(group, { recursive: true });
      const takes = existsSync(join(group, file)) && existsSync(join(group, 'cgroup.procs'));
      if (takes) writeFileSync(join(group, file), file === 'pids.max' ? '100' : '104857600');
      rmdirSync(group);
      if (!takes) return false;
      if (memory.parent === processes.parent) break;
    }
    return true;
  } catch {
    return false;
  }
}

/** Groups of servers that were killed, named after their processes. */
function removeAbandoned({ memory, processes, cpu }: Layout): void {
  for (const { parent } of [memory, processes, cpu ?? memory]) {
    for (const name of readdirSync(parent)) {
      const [, pid] = /^chatd-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
      try {
        rmdirSync(join(parent, name));
      } catch {
        // Somebody is in it, or another server was faster.
      }
    }
  }
}

export class Cgroups {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** A group with these limits; a process that is put into it takes all of its later children along. */
  make(name: string, limits: SandboxLimits): Cgroup {
    const { memory, processes, cpu } = this.#layout;
    const groups = new Set<string>();
    const set = (where: Layout['memory'], value: number | undefined) => {
      if (value === undefined) return;
      const group = join(where.parent, name);
      mkdirSync(group, { recursive: true });
      writeFileSync(join(group, where.file), String(value));
      groups.add(group);
    };
    set(memory, limits.memory_mb === undefined ? undefined : limits.memory_mb * 1024 * 1024);
    set(processes, limits.processes);
    if (cpu !== undefined) set(cpu, cpu.share);
    return new Cgroup([...groups]);
  }
}

const TRIES = 20;
const WAIT_MS = 25;

export class Cgroup {
  readonly #groups: readonly string[];

  constructor(groups: readonly string[]) {
    this.#groups = groups;
  }

  /** A process that has ended in the meantime needs no limits. */
  add(pid: number): void {
    for (const group of this.#groups) {
      try {
        writeFileSync(join(group, 'cgroup.procs'), String(pid));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }

  /** Possible once its processes are gone, which takes the kernel a moment. */
  async remove(): Promise<void> {
    for (const group of this.#groups) {
      for (let tries = 0; tries < TRIES && existsSync(group); tries++) {
        try {
          rmdirSync(group);
        } catch {
          await sleep(WAIT_MS, undefined, { ref: false });
        }
      }
    }
  }
}
