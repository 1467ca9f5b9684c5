import type { Clock } from '@chatd/loop';
import type { OpenWorkspace } from '../workspaces/open-workspace.ts';

/** Access to the workspace of a chat. */
export interface WorkspaceHandle {
  readonly clock: Clock;
  /** The open workspace. Throws an error that tells the model what to do first if there is none. */
  use(): Promise<OpenWorkspace>;
}
