import { z } from 'zod';
import { Uuid } from './ids.ts';

/** Who a tool comes from. `client`: the program that made the chat executes it. */
export const ToolSource = z.enum(['chatd', 'people', 'subagents', 'workspace', 'mcp', 'client']);
export type ToolSource = z.infer<typeof ToolSource>;

/** What the next turn of a chat would begin with. */
export const ChatContext = z
  .object({
    workspace_id: Uuid.nullable(),
    /** The chat has begun with these files and skills and keeps them; else they are read when its next turn begins. */
    kept: z.boolean(),
    /** Instructions of the workspace, as they are in the prompt. */
    files: z.array(
      z.object({
        path: z.string(),
        /** That are in the prompt. */
        bytes: z.int(),
        /** The file is longer. */
        cut: z.boolean(),
      }),
    ),
    skills: z.array(z.object({ name: z.string(), description: z.string(), path: z.string() })),
    mcp_servers: z.array(
      z.object({
        id: Uuid,
        name: z.string(),
        /** Users have to sign in, and this one has not. */
        sign_in_needed: z.boolean(),
        /** How many of its tools the chat has; null: the server was not asked lately, and is when a turn begins. */
        tools: z.int().nullable(),
      }),
    ),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        source: ToolSource,
        /** The name of the MCP server. */
        server: z.string().optional(),
        /** In plan mode, and for agents that explore: it is there, and may not be used. */
        refused: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'ChatContext' });
export type ChatContext = z.infer<typeof ChatContext>;
