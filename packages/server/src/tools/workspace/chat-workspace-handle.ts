import type { ChatRow } from '../../chat/row.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import type { OpenWorkspace } from '../../workspaces/open-workspace.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';

/** A chat and its workspace, which may be created or replaced during a turn. */
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

const NONE =
  'This chat has no workspace. Create one first with create_workspace; list_templates lists the available templates.';
