import type { Clock } from '@chatd/loop';
import type { WorkspaceDiff } from '@chatd/protocol';
import { Refused } from '../../chat/refused.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { HostedWorkspace } from '../../machine/machine.ts';
import { FIND_REPOSITORIES } from '../../machine/git/baselines.ts';
import { runScript } from '../../machine/git/run-script.ts';
import type { Workspaces } from '../workspaces.ts';
import { repositoryDiff } from './repository-diff.ts';

/** Background commands can change files at any time, so results expire. */
const FRESH_MS = 2000;
const MAX_REPOSITORIES = 20;
const MAX_CACHED = 100;
const TIME_LIMIT_MS = 30_000;

interface Kept {
  readonly revision: number;
  readonly at: number;
  readonly diff: Promise<WorkspaceDiff>;
}

/** Diffs of workspaces. Cached, because clients poll them while a chat runs. */
export class Diffs {
  readonly #workspaces: Pick<Workspaces, 'clock' | 'visit'>;
  readonly #kept = new Map<string, Kept>();

  constructor(workspaces: Pick<Workspaces, 'clock' | 'visit'>) {
    this.#workspaces = workspaces;
  }

  async of(row: WorkspaceRow): Promise<WorkspaceDiff> {
    return await this.#workspaces.visit(row, async (workspace) => {
      const now = this.#workspaces.clock.now();
      const revision = await workspace.revision();
      const kept = this.#kept.get(row.id);
      if (kept?.revision === revision && now - kept.at < FRESH_MS) return await kept.diff;
      const diff = withinTime(this.#workspaces.clock, (signal) =>
        compute(row, workspace, new Date(now).toISOString(), signal),
      );
      this.#keep(row.id, { revision, at: now, diff });
      return await diff;
    });
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    kept.diff.catch(() => this.#kept.delete(id));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Time limit: a malicious repository can make git run forever. */
async function withinTime<T>(clock: Clock, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const cancel = clock.after(TIME_LIMIT_MS, () => {
    const seconds = TIME_LIMIT_MS / 1000;
    limit.abort(
      new Refused('workspace_not_ready', `The diff was not computed within ${seconds} seconds.`),
    );
  });
  try {
    return await work(limit.signal);
  } finally {
    cancel();
  }
}

async function compute(
  row: WorkspaceRow,
  workspace: HostedWorkspace,
  computed_at: string,
  signal: AbortSignal,
): Promise<WorkspaceDiff> {
  const { stdout } = await runScript(workspace, FIND_REPOSITORIES, [], {
    limit: 64 * 1024,
    signal,
  });
  const folders = stdout
    .toString('utf8')
    .split('\n')
    .filter((folder) => folder !== '');
  const repositories = [];
  for (const folder of folders.slice(0, MAX_REPOSITORIES)) {
    repositories.push(await repositoryDiff(workspace, folder, row.baselines[folder] ?? '', signal));
  }
  return { workspace_id: row.id, computed_at, repositories };
}
