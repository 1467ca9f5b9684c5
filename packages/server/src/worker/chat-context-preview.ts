import type { ChatContext, ToolSource } from '@chatd/protocol';
import type { ChatRow } from '../chat/row.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { chatTools, nameOf } from './chat-tools.ts';
import { permittedTools } from './permitted-tools.ts';

/** What the next turn of a chat would get. Contacts no MCP servers and stores nothing. */
export class ChatContextPreview {
  readonly #toolboxes: readonly Toolbox[];

  constructor(toolboxes: readonly Toolbox[]) {
    this.#toolboxes = toolboxes;
  }

  async of(chat: ChatRow): Promise<ChatContext> {
    const previews = await Promise.all(
      this.#toolboxes.map(async (toolbox) => ({
        source: toolbox.source,
        ...(await toolbox.preview(chat)),
      })),
    );
    return {
      workspace_id: null,
      kept: false,
      files: [],
      skills: [],
      mcp_servers: [],
      ...Object.assign({}, ...previews.map(({ context }) => context)),
      tools: toolsOf(chat, previews),
    };
  }
}

/** Combined as for a turn: see `chatTools`. */
function toolsOf(
  chat: ChatRow,
  previews: readonly { readonly source: ToolSource; readonly tools: readonly AgentTool[] }[],
): ChatContext['tools'] {
  const all = chatTools(
    chat,
    previews.flatMap(({ tools }) => tools),
    (tool) => tool,
  );
  const { tools: permitted, refused } = permittedTools(chat, all);
  const names = new Set(permitted.map(nameOf));
  return all.flatMap((tool) => {
    if (!names.has(nameOf(tool))) return [];
    return [
      {
        name: nameOf(tool),
        description: 'description' in tool ? (tool.description ?? '') : '',
        source: previews.find(({ tools }) => tools.includes(tool))?.source ?? 'client',
        ...(tool.server !== undefined && { server: tool.server }),
        refused: refused.has(nameOf(tool)),
      },
    ];
  });
}
