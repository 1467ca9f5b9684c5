import type { TemplateDriver } from '@chatd/protocol';
import type { WorkspaceRow } from '../store/workspaces.ts';
import type { Sandbox, Driver } from '../machine/drivers/driver.ts';
import type { OpenWorkspace } from './open-workspace.ts';
import { workspaceSpecOf } from './workspace-spec.ts';
import { ProcessList } from '../machine/processes/process-list.ts';

/** Runs in a newly opened workspace before its first use. Must not throw. */
export type Prepare = (workspace: OpenWorkspace, row: WorkspaceRow) => Promise<void>;

export type Drivers = Readonly<Record<TemplateDriver, Driver>>;

/** The workspaces that are open in this process. Each is opened on first use and then shared. */
export class OpenWorkspaces {
  readonly #drivers: Drivers;
  readonly #now: () => number;
  readonly #prepare: Prepare | undefined;
  readonly #open = new Map<string, Promise<OpenWorkspace>>();
  readonly #used = new Set<string>();

  constructor(drivers: Drivers, now: () => number, prepare?: Prepare) {
    this.#drivers = drivers;
    this.#now = now;
    this.#prepare = prepare;
  }

  get ids(): string[] {
    return [...this.#open.keys()];
  }

  /** Counts as use. Undefined: not open. */
  find(id: string): Promise<OpenWorkspace> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined) this.#used.add(id);
    return open;
  }

  /** Marks an open workspace as in use. */
  used(id: string): void {
    if (this.#open.has(id)) this.#used.add(id);
  }

  /** Like `find`, but does not count as use. */
  peek(id: string): Promise<OpenWorkspace> | undefined {
    return this.#open.get(id);
  }

  open(row: WorkspaceRow): Promise<OpenWorkspace> {
    const { id } = row;
    const known = this.find(id);
    if (known !== undefined) return known;
    const opening = this.#start(row);
    this.#open.set(id, opening);
    this.#used.add(id);
    const forget = () => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    };
    opening.then(({ sandbox }) => sandbox.closed.then(forget), forget).catch(forget);
    return opening;
  }

  async close(id: string): Promise<void> {
    const open = this.#open.get(id);
    this.#open.delete(id);
    await open?.then(
      ({ sandbox }) => sandbox.close(),
      () => undefined,
    );
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.ids.map((id) => this.close(id)));
  }

  /** Ids of the workspaces used since the last call. */
  takeUsed(): string[] {
    const used = [...this.#used];
    this.#used.clear();
    return used;
  }

  async #start(row: WorkspaceRow): Promise<OpenWorkspace> {
    const sandbox = await this.#drivers[row.definition.driver].open(workspaceSpecOf(row));
    const workspace = openWorkspace(row.id, sandbox, this.#now);
    await this.#prepare?.(workspace, row);
    return workspace;
  }
}

export function openWorkspace(id: string, sandbox: Sandbox, now: () => number): OpenWorkspace {
  let revision = 0;
  let closed = false;
  void (async () => {
    await sandbox.closed;
    closed = true;
  })();
  return {
    id,
    sandbox,
    processes: new ProcessList(sandbox, now),
    isClosed: () => closed,
    revision: () => revision,
    touch: () => {
      revision += 1;
    },
  };
}
