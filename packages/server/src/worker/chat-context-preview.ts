import type { Tool } from '@chatd/loop';
import type { ChatContext, ToolSource } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import type { McpServerPreview } from '../mcp/mcp-toolbox.ts';
import { needsSignIn } from '../store/mcp-servers.ts';
import { signedInServers } from '../store/queries/mcp-sessions.ts';
import type { Queryable } from '../store/statement.ts';
import type { WorkspacePreview } from '../tools/workspace-toolbox.ts';
import { chatTools, nameOf } from './chat-tools.ts';
import { permittedTools } from './permitted-tools.ts';
import { NO_IDLE_TRACKING } from '../tools/idle-tracking.ts';
import type { Toolbox } from '../tools/toolbox.ts';

type From = Pick<ChatContext['tools'][number], 'source' | 'server'>;

export interface ChatContextPreviewOptions {
  readonly database: Queryable;
  /** In the order in which turns use them. */
  readonly toolboxes: readonly { readonly source: ToolSource; readonly toolbox: Toolbox }[];
  /** Undefined: workspaces are disabled. */
  readonly workspaces?: { ahead(chat: ChatRow): Promise<WorkspacePreview> } | undefined;
  readonly mcp: { ahead(chat: ChatRow): Promise<McpServerPreview[]> };
}

/** Previews the context of the next turn without starting it or connecting to MCP servers. */
export class ChatContextPreview {
  readonly #with: ChatContextPreviewOptions;

  constructor(options: ChatContextPreviewOptions) {
    this.#with = options;
  }

  async of(chat: ChatRow): Promise<ChatContext> {
    const { database, toolboxes, workspaces, mcp } = this.#with;
    const [opened, place, servers, signedIn] = await Promise.all([
      Promise.all(
        toolboxes.map(async ({ source, toolbox }) => ({
          source,
          ...(await toolbox.open(chat, NO_IDLE_TRACKING)),
        })),
      ),
      workspaces?.ahead(chat),
      mcp.ahead(chat),
      database.query(signedInServers, { user_id: chat.owner_id }),
    ]);
    const sessions = new Set(signedIn.map(({ server_id }) => server_id));
    const sources = [
      ...opened,
      ...(place === undefined ? [] : [{ source: 'workspace' as const, ...place }]),
      ...servers.map(({ server, tools = [], readOnly }) => ({
        source: 'mcp' as const,
        server: server.name,
        tools,
        readOnly,
      })),
    ];
    return {
      workspace_id: place?.workspaceId ?? null,
      kept: place?.kept ?? false,
      files: (place?.context?.files ?? []).map(({ path, text, cut }) => ({
        path,
        bytes: Buffer.byteLength(text),
        cut,
      })),
      skills: (place?.context?.skills ?? []).map(({ name, description, folder, problem }) => ({
        name,
        description,
        path: `${folder}/SKILL.md`,
        ...(problem !== undefined && { problem }),
      })),
      mcp_servers: servers.map(({ server, tools }) => ({
        id: server.id,
        name: server.name,
        sign_in_needed: needsSignIn(server) && !sessions.has(server.id),
        tools: tools?.length ?? null,
      })),
      tools: toolsOf(chat, sources),
    };
  }
}

/** In the same order as `chatTools`. */
function toolsOf(
  chat: ChatRow,
  sources: readonly (From & { tools: readonly Tool[]; readOnly?: readonly string[] })[],
): ChatContext['tools'] {
  const all = chatTools(
    chat,
    sources.flatMap(({ tools }) => tools),
    (tool) => tool,
  );
  const { tools: permitted, refused } = permittedTools(
    chat,
    all,
    sources.flatMap(({ readOnly = [] }) => readOnly),
  );
  const names = new Set(permitted.map(nameOf));
  return all.flatMap((tool) => {
    if (!names.has(nameOf(tool))) return [];
    const { source, server } = sources.find(({ tools }) => tools.includes(tool)) ?? CLIENT;
    return [
      {
        name: nameOf(tool),
        description: 'description' in tool ? (tool.description ?? '') : '',
        source,
        ...(server !== undefined && { server }),
        refused: refused.has(nameOf(tool)),
      },
    ];
  });
}

const CLIENT: From = { source: 'client' };
