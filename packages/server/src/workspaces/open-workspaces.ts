import type { HostedWorkspace, Machine } from '../machine/machine.ts';
import type { WorkspaceRow } from '../store/workspaces.ts';
import { NO_GATEWAY, type WorkspaceGateway } from './gateway.ts';
import { workspaceSpecOf } from './workspace-spec.ts';

/** Runs in a newly opened workspace before its first use. Must not throw. */
export type Prepare = (workspace: HostedWorkspace, row: WorkspaceRow) => Promise<void>;

/** The workspaces that this process uses. Each is opened on first use and then shared. */
export class OpenWorkspaces {
  readonly #prepare: Prepare | undefined;
  readonly #gateway: WorkspaceGateway;
  readonly #open = new Map<string, Promise<HostedWorkspace>>();
  readonly #used = new Set<string>();
  /** How many calls use each workspace at the moment. */
  readonly #inUse = new Map<string, number>();

  constructor(prepare?: Prepare, gateway: WorkspaceGateway = NO_GATEWAY) {
    this.#prepare = prepare;
    this.#gateway = gateway;
  }

  /** Counts as use. Undefined: not open. */
  find(id: string): Promise<HostedWorkspace> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined) this.#used.add(id);
    return open;
  }

  /** Marks an open workspace as in use. */
  used(id: string): void {
    if (this.#open.has(id)) this.#used.add(id);
  }

  /** Counts as use until the returned function is called. */
  hold(id: string): () => void {
    this.#inUse.set(id, (this.#inUse.get(id) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#used.add(id);
      const left = (this.#inUse.get(id) ?? 1) - 1;
      if (left > 0) this.#inUse.set(id, left);
      else this.#inUse.delete(id);
    };
  }

  open(row: WorkspaceRow, machine: Machine): Promise<HostedWorkspace> {
    const { id } = row;
    const known = this.find(id);
    if (known !== undefined) return known;
    const opening = this.#start(row, machine);
    this.#open.set(id, opening);
    this.#used.add(id);
    const forget = () => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    };
    opening.then(({ closed }) => closed.then(forget), forget).catch(forget);
    return opening;
  }

  /** The workspace was stopped. The next use reads its row again. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Ids of the workspaces used since the last call. */
  takeUsed(): string[] {
    const used = new Set([...this.#used, ...this.#inUse.keys()]);
    this.#used.clear();
    return [...used];
  }

  async #start(row: WorkspaceRow, machine: Machine): Promise<HostedWorkspace> {
    const gitHosts = await this.#gateway.hosts(row.owner_id);
    const workspace = await machine.open({ ...workspaceSpecOf(row), gitHosts });
    void workspace.closed.then(this.#gateway.serve(row, machine));
    await this.#prepare?.(workspace, row);
    return workspace;
  }
}
