import { readdirSync, readFileSync, statSync } from 'node:fs';

/** Environment variable that identifies the run, so that detached processes are still attributed to it. */
export const MARK = 'CHATD_RUN';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
}

/** The visible processes. With `uid`, only those of that user. */
export function processes(uid?: number): ProcessInfo[] {
  const seen: ProcessInfo[] = [];
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || (uid !== undefined && ownerOf(pid) !== uid)) continue;
    const parent = parentOf(pid);
    if (parent !== undefined) seen.push({ pid, parent });
  }
  return seen;
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

/** Some systems have no /proc. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may itself contain parentheses.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

/** The run that started a process, from its environment. */
function markOf(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return new RegExp(`(?:^|\\0)${MARK}=([^\\0]*)`).exec(environment)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * The run to which each process belongs: the one from whose first process it descends, otherwise the one whose mark its
 * oldest remaining ancestor carries. Undefined: none.
 */
export function owners(
  seen: readonly ProcessInfo[],
  roots: ReadonlyMap<number, string>,
  own: number,
): Map<number, string | undefined> {
  const parents = new Map(seen.map(({ pid, parent }) => [pid, parent]));
  const found = new Map<number, string | undefined>();
  const ownerOf = (pid: number, steps: number): string | undefined => {
    const root = roots.get(pid);
    if (root !== undefined) return root;
    const parent = parents.get(pid);
    const isTop = parent === undefined || parent <= 1 || parent === own || !parents.has(parent);
    return isTop || steps > 1000 ? markOf(pid) : ownerOf(parent, steps + 1);
  };
  for (const { pid } of seen) {
    if (pid !== 1 && pid !== own) found.set(pid, ownerOf(pid, 0));
  }
  return found;
}
