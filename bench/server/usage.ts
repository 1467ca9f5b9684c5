/* CPU time and memory of processes, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The unit of CPU times in /proc on all common kernels. */
const TICKS_PER_SECOND = 100;

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
}

interface Stat {
  readonly parent: number;
  /** Includes child processes that have exited. */
  readonly cpuSeconds: number;
}

function readStat(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name can contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND };
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Undefined: the process exited. */
function ifRunning<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Usage of processes and all their child processes, except those in `except` and theirs. */
export function usageOf(pids: readonly number[], except: readonly number[] = []): Usage {
  const stats = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .flatMap((pid) => {
        const stat = ifRunning(() => readStat(pid));
        return stat === undefined ? [] : [[pid, stat] as const];
      }),
  );
  const children = Map.groupBy(stats.keys(), (pid) => stats.get(pid)?.parent);
  const seen = new Set(except);
  const waiting = [...pids];
  let [cpuSeconds, memory] = [0, 0];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    const stat = stats.get(pid);
    const parent = pid;
    if (stat === undefined || seen.has(parent)) continue;
    seen.add(parent);
    cpuSeconds += stat.cpuSeconds;
    memory += ifRunning(() => residentMb(parent)) ?? 0;
    waiting.push(...(children.get(parent) ?? []));
  }
  return { cpuSeconds, residentMb: memory };
}

/** Busy seconds of all cores. On a virtual machine, they include time that the host gave to others. */
export function machineBusySeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const fields = line.trim().split(/\s+/).slice(1).map(Number);
  // user, nice, system, irq, softirq, steal; not idle and iowait.
  return [0, 1, 2, 5, 6, 7].reduce((sum, at) => sum + (fields[at] ?? 0), 0) / TICKS_PER_SECOND;
}

/** Share of the machine used by others between two readings, given the CPU seconds of known processes. */
export function foreignShare(busySeconds: number, knownSeconds: number, seconds: number): number {
  return (busySeconds - knownSeconds) / seconds / availableParallelism();
}
