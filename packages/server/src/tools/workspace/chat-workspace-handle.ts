import type { ChatRow } from '../../chat/row.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { OpenWorkspace } from '../../workspaces/open-workspace.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';

/** A chat and the workspace that it works in, which may come to be, or change, in the middle of a turn. */
export class ChatWorkspaceHandle implements WorkspaceHandle {
  readonly chat: ChatRow;
  readonly workspaces: Workspaces;
  workspaceId: string | null;

  constructor(chat: ChatRow, workspaces: Workspaces, workspaceId: string | null) {
    this.chat = chat;
    this.workspaces = workspaces;
    this.workspaceId = workspaceId;
  }

  get clock() {
    return this.workspaces.clock;
  }

  async use(): Promise<OpenWorkspace> {
    if (this.workspaceId === null) throw new Error(NONE);
    return await this.workspaces.use(this.workspaceId);
  }

  /** The row of the chat's workspace, in whatever state; undefined when it has none. */
  async find(): Promise<WorkspaceRow | undefined> {
    return this.workspaceId === null ? undefined : await this.workspaces.find(this.workspaceId);
  }

  async row(): Promise<WorkspaceRow> {
    const row = await this.find();
    if (row === undefined || row.status === 'deleted') throw new Error(NONE);
    return row;
  }
}

const NONE =
  'This chat has no workspace yet. Create one first with create_workspace; list_templates shows what it can be made from.';
