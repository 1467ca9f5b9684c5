import type { LocalTool } from '@chatd/loop';
import type { Logger } from 'pino';
import type { ChatRow } from '../chat/row.ts';
import { type Desktops, desktopSize } from '../desktop/desktops.ts';
import { knownSecrets } from '../secrets/secret-values.ts';
import type { Store } from '../store/store.ts';
import type { Checkpoints } from '../workspaces/checkpoints/checkpoints.ts';
import { TurnCheckpoints } from '../workspaces/checkpoints/turn-checkpoints.ts';
import { ChatContexts } from '../workspaces/context/chat-contexts.ts';
import { contextPrompt, type WorkspaceContext } from '../workspaces/context/context.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { computer } from './computer/computer.ts';
import { redactingTool } from './redacting-tool.ts';
import type { Toolbox, ToolsPreview, TurnTools } from './toolbox.ts';
import { editFiles } from './files/edit-files.ts';
import { listFiles } from './files/list-files.ts';
import { readFile } from './files/read-file.ts';
import { searchFiles } from './files/search-files.ts';
import { writeFile } from './files/write-file.ts';
import { execute } from './process/execute.ts';
import { processList } from './process/process-list.ts';
import { processOutput } from './process/process-output.ts';
import { processSignal } from './process/process-signal.ts';
import { readSkill, readSkillFile } from './skills/skill-tools.ts';
import { createWorkspace } from './workspace/create-workspace.ts';
import { listTemplates } from './workspace/list-templates.ts';
import { readTemplate } from './workspace/read-template.ts';
import { ChatWorkspaceHandle } from './workspace/chat-workspace-handle.ts';
import { startWorkspace } from './workspace/start-workspace.ts';
import { stopWorkspace } from './workspace/stop-workspace.ts';
import { workspaceOfChat } from './workspace/workspace-of-chat.ts';

interface WorkspaceTools extends TurnTools {
  readonly tools: LocalTool[];
  readonly system: string[];
}

const hide = (text: string) => knownSecrets.hide(text);

/** The tools for workspaces. */
export class WorkspaceToolbox implements Toolbox {
  readonly source = 'workspace';
  readonly #store: Store;
  readonly #workspaces: Workspaces;
  readonly #desktops: Desktops;
  readonly #checkpoints: Checkpoints;
  readonly #contexts: ChatContexts;

  constructor(options: {
    store: Store;
    workspaces: Workspaces;
    checkpoints: Checkpoints;
    desktops: Desktops;
    log: Logger;
  }) {
    this.#store = options.store;
    this.#workspaces = options.workspaces;
    this.#checkpoints = options.checkpoints;
    this.#desktops = options.desktops;
    const { workspaces, log } = options;
    this.#contexts = new ChatContexts({ database: options.store.database, workspaces, log });
  }

  /**
   * The tools for one turn. All of them are present from the start, so that a workspace created during the turn can be
   * used at once. Without a workspace they tell the model to create one.
   */
  async open(chat: ChatRow): Promise<WorkspaceTools> {
    const workspaceId = await workspaceOfChat(chat, this.#store.database);
    const context = workspaceId === null ? undefined : await this.#contexts.of(chat, workspaceId);
    return await this.#toolsFor(chat, workspaceId, context);
  }

  async preview(chat: ChatRow): Promise<ToolsPreview> {
    const workspaceId = await workspaceOfChat(chat, this.#store.database);
    const { context, kept } =
      workspaceId === null
        ? { context: undefined, kept: false }
        : await this.#contexts.preview(chat, workspaceId);
    const { tools } = await this.#toolsFor(chat, workspaceId, context);
    return {
      tools,
      context: {
        workspace_id: workspaceId,
        kept,
        files: (context?.files ?? []).map(({ path, text, cut }) => ({
          path,
          bytes: Buffer.byteLength(text),
          cut,
        })),
        skills: (context?.skills ?? []).map(({ name, description, folder, problem }) => ({
          name,
          description,
          path: `${folder}/SKILL.md`,
          ...(problem !== undefined && { problem }),
        })),
      },
    };
  }

  async #toolsFor(
    chat: ChatRow,
    workspaceId: string | null,
    context: WorkspaceContext | undefined,
  ): Promise<WorkspaceTools> {
    const checkpoints = new TurnCheckpoints(this.#checkpoints, chat);
    const handle = new ChatWorkspaceHandle({
      chat,
      workspaces: this.#workspaces,
      workspaceId,
      database: this.#store.database,
      checkpoints,
    });
    const skills = context?.skills ?? [];
    const tools = [
      ...[readFile, writeFile, editFiles, listFiles, searchFiles].map((make) => make(handle)),
      ...[execute, processOutput, processList, processSignal].map((make) => make(handle)),
      ...[listTemplates, readTemplate].map((make) => make(this.#workspaces.templates)),
      createWorkspace(handle, this.#store),
      ...[startWorkspace, stopWorkspace].map((make) => make(handle)),
      ...(skills.length > 0 ? [readSkill(handle, skills), readSkillFile(handle, skills)] : []),
      ...(chat.agent_type === 'computer' ? [await this.#computer(handle)] : []),
    ];
    return {
      tools: tools.map((tool) => redactingTool(tool, hide)),
      system: context === undefined ? [] : contextPrompt(context).map(hide),
      observers: [checkpoints],
    };
  }

  /** The tool definition contains the screen size, so it must be known before the desktop starts. */
  async #computer(handle: ChatWorkspaceHandle): Promise<LocalTool> {
    const definition = (await handle.find())?.definition ?? {};
    return computer({
      handle: handle,
      size: desktopSize(definition),
      desktop: async (context) => {
        const { definition: own } = await handle.row();
        const workspace = await handle.use(context);
        await handle.beforeChange(workspace, context.signal);
        return await this.#desktops.of(workspace, own);
      },
    });
  }

  async close(): Promise<void> {
    await this.#workspaces.close();
  }
}
