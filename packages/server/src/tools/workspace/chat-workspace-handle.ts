import type { ToolContext } from '@chatd/loop';
import type { ChatRow } from '../../chat/row.ts';
import type { Queryable } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { type HostedWorkspace, MachineOffline } from '../../machine/machine.ts';
import { callKey } from '../../machines/call-key.ts';
import type { TurnCheckpoints } from '../../workspaces/checkpoints/turn-checkpoints.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { waitingFor } from '../waiting-for.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { isTakenOver } from './taken-over.ts';

/** A chat and its workspace, which may be created or replaced during a turn. */
export class ChatWorkspaceHandle implements WorkspaceHandle {
  readonly chat: ChatRow;
  readonly workspaces: Workspaces;
  workspaceId: string | null;
  readonly #database: Queryable;
  readonly #checkpoints: TurnCheckpoints;

  constructor(options: {
    readonly chat: ChatRow;
    readonly workspaces: Workspaces;
    readonly workspaceId: string | null;
    readonly database: Queryable;
    readonly checkpoints: TurnCheckpoints;
  }) {
    this.chat = options.chat;
    this.workspaces = options.workspaces;
    this.workspaceId = options.workspaceId;
    this.#database = options.database;
    this.#checkpoints = options.checkpoints;
  }

  get clock() {
    return this.workspaces.clock;
  }

  async use(
    { signal, publish }: Pick<ToolContext, 'signal' | 'publish'>,
    limitMs = WAIT_MS,
  ): Promise<HostedWorkspace> {
    if (this.workspaceId === null) throw new Error(NONE);
    const limit = new AbortController();
    let machine: string | undefined;
    const cancel = this.clock.after(limitMs, () => limit.abort(notOpened(machine, limitMs)));
    try {
      return await this.workspaces.use(this.workspaceId, {
        signal: AbortSignal.any([signal, limit.signal]),
        onWaiting: (name) => {
          machine = name;
          publish(waitingFor(name));
        },
      });
    } finally {
      cancel();
    }
  }

  async beforeChange(workspace: HostedWorkspace, signal: AbortSignal): Promise<void> {
    if (this.workspaceId !== null)
      await this.#checkpoints.beforeChange(this.workspaceId, workspace);
    signal.throwIfAborted();
  }

  hold(): () => void {
    return this.workspaceId === null ? () => undefined : this.workspaces.hold(this.workspaceId);
  }

  callKey(context: ToolContext): string {
    return callKey(this.chat.id, context);
  }

  isTakenOver({ callId }: ToolContext): Promise<boolean> {
    return isTakenOver(this.#database, this.chat, callId);
  }

  count(outcome: 'recovered' | 'lost'): void {
    this.workspaces.count(outcome);
  }

  /** In any state. Undefined: the chat has no workspace. */
  async find(): Promise<WorkspaceRow | undefined> {
    return this.workspaceId === null ? undefined : await this.workspaces.find(this.workspaceId);
  }

  async row(): Promise<WorkspaceRow> {
    const row = await this.find();
    if (row === undefined || row.status === 'deleted') throw new Error(NONE);
    return row;
  }
}

/** How long a call without a time limit waits for an offline machine. */
const WAIT_MS = 2 * 60_000;

const notOpened = (machine: string | undefined, limitMs: number) =>
  new MachineOffline(
    machine === undefined
      ? `The workspace could not be opened within ${limitMs / 1000} s. Try again.`
      : `The machine ${machine} is offline and did not connect within ${limitMs / 1000} s. If the call had started before, its outcome is unknown. Try again when the machine is online.`,
  );

const NONE =
  'This chat has no workspace. Create one first with create_workspace; list_templates lists the available templates.';
