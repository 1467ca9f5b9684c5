import { z } from 'zod';
import { enumeration } from './enumeration.ts';
import { Uuid } from './ids.ts';

/** Who a tool comes from. */
export const ToolSource = enumeration('ToolSource', 'Who a tool comes from.', {
  chatd: 'the server itself, or the program that it is embedded in',
  people: 'the agent speaks with people by it: questions, plans, the todo list',
  subagents: 'it starts other agents and waits for them',
  workspace: "it works in the chat's workspace",
  mcp: 'an MCP server; `server` names it',
  client: 'the program that made the chat executes it: one of its `dynamic_tools`',
});
export type ToolSource = z.infer<typeof ToolSource>;

const ContextFile = z.object({
  path: z
    .string()
    .meta({ description: 'Relative to the root of the workspace.', examples: ['AGENTS.md'] }),
  bytes: z
    .int()
    .describe(
      'How many bytes of it are in the prompt: at most 64 KiB, and 160 KiB of all files together.',
    ),
  cut: z.boolean().describe('The file is longer than what is in the prompt.'),
});

const ContextSkill = z.object({
  name: z.string().describe('As its front matter says, else the name of its folder.'),
  description: z
    .string()
    .describe(
      'When to use it, from its front matter, at most 1,024 characters. Empty if it does not say.',
    ),
  path: z.string().meta({
    description: 'Of its `SKILL.md`, relative to the root of the workspace.',
    examples: ['.agents/skills/release/SKILL.md'],
  }),
  problem: z
    .string()
    .optional()
    .meta({
      description:
        'Why the front matter of the skill cannot be read. Absent if it can. The prompt has it in place of the description.',
      examples: [
        '.agents/skills/release/SKILL.md: The front matter is not valid YAML: Map keys must be unique at line 3, column 1.',
      ],
    }),
});

const ContextServer = z.object({
  id: Uuid.describe('The MCP server, one of `mcp_server_ids` of the chat that is enabled.'),
  name: z.string().describe('Its slug, which the names of its tools begin with.'),
  sign_in_needed: z
    .boolean()
    .describe(
      "Users have to sign in to it, and the chat's owner has not: its tools cannot be used until then.",
    ),
  tools: z
    .int()
    .nullable()
    .describe(
      'How many of its tools the chat has. Null: the server was not asked in the last 10 minutes; it is when a turn begins.',
    ),
});

const ContextTool = z.object({
  name: z
    .string()
    .meta({ description: 'As the model calls it.', examples: ['github__search_issues'] }),
  description: z.string().describe('What the model is told of it; may be empty.'),
  source: ToolSource.describe('Who it comes from.'),
  server: z
    .string()
    .optional()
    .describe('The name of the MCP server; absent for all other sources.'),
  refused: z
    .boolean()
    .describe(
      'It is there and may not be used: it could change something, and the chat is in plan mode or an agent that explores. A call of it says so and does nothing.',
    ),
});

/** What the next turn of a chat would begin with. */
export const ChatContext = z
  .object({
    workspace_id: Uuid.nullable().describe(
      'The workspace that the next turn works in: its own, or for a subagent that of its root. Null: none.',
    ),
    kept: z
      .boolean()
      .describe(
        'True: the chat has begun with these files and skills and keeps them until `refreshChatContext`. False: they are as the workspace has them now, and read when the next turn begins.',
      ),
    files: z
      .array(ContextFile)
      .describe(
        'Instructions of the workspace, in the order of the prompt: `AGENTS.md`, `CLAUDE.md`, `.cursorrules`.',
      ),
    skills: z
      .array(ContextSkill)
      .describe(
        'Skills of the workspace. Their names and descriptions are in the prompt, their texts are not.',
      ),
    mcp_servers: z
      .array(ContextServer)
      .describe("The chat's MCP servers. None of them is asked for this answer."),
    tools: z
      .array(ContextTool)
      .describe(
        'All tools that the model can call, those of the provider left out. Of two with the same name, the one that counts.',
      ),
  })
  .meta({
    id: 'ChatContext',
    description: 'What the next turn of a chat would begin with, told without beginning one.',
  });
export type ChatContext = z.infer<typeof ChatContext>;
