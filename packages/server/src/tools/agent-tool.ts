import { type LocalTool, type Tool, tool } from '@chatd/loop';
import type { z } from 'zod';

/** Properties of tools that the server uses and the loop does not know. */
export interface ToolTraits {
  /** Changes nothing: available in plan mode and to explore agents. */
  readonly readOnly?: boolean;
  /** Available to agents that use a desktop. */
  readonly forDesktops?: boolean;
  /** The name of the MCP server that provides the tool. */
  readonly server?: string;
}

export type AgentTool = Tool & ToolTraits;

/** A local tool with traits, whose arguments have the type of its zod schema. */
export const agentTool = <Input extends z.ZodType>(
  definition: Parameters<typeof tool<Input>>[0] & ToolTraits,
): LocalTool & ToolTraits => tool(definition);
