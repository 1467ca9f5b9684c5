import type { Machine } from '../machine/machine.ts';

/** Serves the connections of programs in workspaces to the server. */
export interface WorkspaceGateway {
  /** The hosts whose repositories git reaches through the server, in workspaces of a user. */
  hosts(ownerId: string): Promise<readonly string[]>;
  /** Serves a workspace until the returned function is called. */
  serve(
    workspace: { readonly id: string; readonly owner_id: string },
    machine: Machine,
  ): () => void;
}

/** No connections. */
export const NO_GATEWAY: WorkspaceGateway = {
  hosts: () => Promise.resolve([]),
  serve: () => () => undefined,
};
