import type { Clock, ToolContext } from '@chatd/loop';
import type { HostedWorkspace } from '../machine/machine.ts';

/** Access to the workspace of a chat. */
export interface WorkspaceHandle {
  readonly clock: Clock;
  /**
   * The open workspace. Waits for its machine for a limited time, and publishes that it waits. Throws an error that
   * tells the model what to do first if there is none.
   */
  use(context: Pick<ToolContext, 'signal' | 'publish'>, limitMs?: number): Promise<HostedWorkspace>;
  /**
   * Call before files change. Records them first, if the turn has not changed any yet. Throws the reason of the signal if
   * it is aborted meanwhile.
   */
  beforeChange(workspace: HostedWorkspace, signal: AbortSignal): Promise<void>;
  /** The workspace is not idle until the returned function is called. */
  hold(): () => void;
  /** The ID of a call in the journal of the machine. */
  callKey(context: ToolContext): string;
  /** Another replica has taken over the chat and continues the call. */
  isTakenOver(context: ToolContext): Promise<boolean>;
  /** Counts a result that was obtained after a failure, or an unknown outcome. */
  count(outcome: 'recovered' | 'lost'): void;
}
