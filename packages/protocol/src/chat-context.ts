import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Uuid } from './ids.ts';

export const ToolSource = enumeration('ToolSource', 'Origin of a tool.', {
  chatd: 'the server itself, or the program that embeds it',
  people: 'questions, plans and the todo list, which the agent uses to communicate with users',
  subagents: 'starting other agents and waiting for them',
  workspace: "tools that work in the chat's workspace",
  mcp: 'an MCP server, named in `server`',
  client: "one of the chat's `dynamic_tools`, executed by a client",
});
export type ToolSource = z.infer<typeof ToolSource>;

const ContextFile = z.object({
  path: z
    .string()
    .meta({ description: 'Path relative to the workspace root.', examples: ['AGENTS.md'] }),
  bytes: z
    .int()
    .describe(
      'Bytes of the file in the prompt. At most 64 KiB per file and 160 KiB for all files.',
    ),
  cut: z.boolean().describe('True if the prompt contains only the beginning of the file.'),
});

const ContextSkill = z.object({
  name: z.string().describe('Name in the front matter, else the name of the folder.'),
  description: z
    .string()
    .describe(
      'When to use the skill, from its front matter. At most 1,024 characters; empty if there is none.',
    ),
  path: z.string().meta({
    description: 'Path of its `SKILL.md`, relative to the workspace root.',
    examples: ['.agents/skills/release/SKILL.md'],
  }),
  problem: z
    .string()
    .optional()
    .meta({
      description:
        'Why the front matter cannot be read. Absent if it can. The prompt contains this text instead of the description.',
      examples: [
        '.agents/skills/release/SKILL.md: The front matter is not valid YAML: Map keys must be unique at line 3, column 1.',
      ],
    }),
});

const ContextServer = z.object({
  id: Uuid.describe("ID of the MCP server: an enabled server of the chat's `mcp_server_ids`."),
  name: z.string().describe('Slug of the server, used as prefix of its tool names.'),
  sign_in_needed: z
    .boolean()
    .describe(
      "True if the server requires a sign-in and the chat's owner is not signed in. Its tools are unavailable until then.",
    ),
  tools: z
    .int()
    .nullable()
    .describe(
      'Number of its tools in the chat. Null: the tool list was not read in the last 10 minutes. The next turn reads it.',
    ),
});

const ContextTool = z.object({
  name: z.string().meta({
    description: 'Name that the model uses to call the tool.',
    examples: ['github__search_issues'],
  }),
  description: z.string().describe('Description for the model. May be empty.'),
  source: ToolSource.describe('Origin of the tool.'),
  server: z.string().optional().describe('Name of the MCP server. Absent for other sources.'),
  refused: z
    .boolean()
    .describe(
      'True if calls are refused because the tool could make changes and the chat is in plan mode or an `explore` subagent.',
    ),
});

export const ChatContext = z
  .object({
    workspace_id: Uuid.nullable().describe(
      "Workspace of the next turn: the chat's own, or for a subagent that of its root chat. Null: none.",
    ),
    kept: z
      .boolean()
      .describe(
        'True: the chat has started with these files and skills and keeps them until `refreshChatContext`. False: the current state of the workspace, which the next turn reads again.',
      ),
    files: z
      .array(ContextFile)
      .describe(
        'Instruction files of the workspace, in prompt order: `AGENTS.md`, `CLAUDE.md`, `.cursorrules`.',
      ),
    skills: z
      .array(ContextSkill)
      .describe(
        'Skills of the workspace. The prompt contains their names and descriptions, but not their text.',
      ),
    mcp_servers: z
      .array(ContextServer)
      .describe('MCP servers of the chat. This request does not connect to them.'),
    tools: z
      .array(ContextTool)
      .describe(
        'Tools that the model can call, without provider-executed tools. If names collide, only the effective tool is listed.',
      ),
  })
  .meta({
    id: 'ChatContext',
    description:
      'Preview of what the next turn of a chat starts with. Reading it does not start a turn.',
  });
export type ChatContext = z.infer<typeof ChatContext>;
