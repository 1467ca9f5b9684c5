import type { Clock } from '@chatd/loop';
import type { OpenWorkspace } from '../workspaces/open-workspace.ts';

/** What the tools of one chat work with. */
export interface WorkspaceHandle {
  readonly clock: Clock;
  /** The chat's workspace, open. Throws what the model should do first when there is none that can be used. */
  use(): Promise<OpenWorkspace>;
}
