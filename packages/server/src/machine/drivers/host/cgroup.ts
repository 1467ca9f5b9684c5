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

/** Where each limit is written. Version 2 of control groups has one tree, version 1 has one per controller. */
interface Layout {
  readonly memory: { readonly parent: string; readonly file: string };
  readonly processes: { readonly parent: string; readonly file: string };
  /** Undefined: no CPU controller is delegated. */
  readonly cpu:
    | { readonly parent: string; readonly file: string; readonly share: number }
    | undefined;
}

/** Half of the kernel default, so that the server and the database take precedence. */
const CPU_WEIGHT = 50;
const CPU_SHARES = 512;

/**
 * Control groups enforce limits for a workspace as a whole. They require root or delegation by the service manager;
 * undefined without either. `own` is the content of /proc/self/cgroup.
 */
export function findCgroups(mount: string = MOUNT, own: string = ownGroups()): Cgroups | undefined {
  const lines = own.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const pathOf = (controller: string) =>
    lines.find((line) => line?.[1]?.split(',').includes(controller))?.[2];
  const unified = pathOf('');
  const base = unified === undefined ? undefined : join(mount, unified);
  for (const layout of [
    // The service manager may have placed the server in a subgroup of the delegated group.
    base === undefined ? undefined : (versionTwo(base) ?? versionTwo(dirname(base))),
    versionOne(mount, pathOf('memory'), pathOf('pids'), pathOf('cpu')),
  ]) {
    if (layout === undefined || !usable(layout)) continue;
    removeAbandoned(layout);
    return new Cgroups(layout);
  }
  return undefined;
}

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
    // The kernel refuses this while a non-root group has processes of its own.
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

/** The kernel refuses this if the group has real-time processes. The other limits still apply. */
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

/** Tests whether a group can be created and takes a limit. */
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

/** Removes the groups of servers that were killed. Names contain the process id. */
function removeAbandoned({ memory, processes, cpu }: Layout): void {
  for (const { parent } of [memory, processes, cpu ?? memory]) {
    for (const name of readdirSync(parent)) {
      const [, pid] = /^chatd-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
      try {
        rmdirSync(join(parent, name));
      } catch {
        // In use, or already removed by another server.
      }
    }
  }
}

export class Cgroups {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** A group with these limits. Children of a process inherit its group. */
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

  /** Ignores processes that have already ended. */
  add(pid: number): void {
    for (const group of this.#groups) {
      try {
        writeFileSync(join(group, 'cgroup.procs'), String(pid));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  }

  /** Retries: the kernel removes a group only after its processes are gone. */
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
