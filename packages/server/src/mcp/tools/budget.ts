import type { LocalTool } from '@chatd/loop';

/** Limit for the MCP tools in a prompt. */
export interface ToolBudget {
  readonly tools: number;
  readonly bytes: number;
}

export const BUDGET: ToolBudget = { tools: 50, bytes: 64 * 1024 };

export function fits(tools: readonly LocalTool[], budget: ToolBudget): boolean {
  if (tools.length > budget.tools) return false;
  const bytes = tools.map(({ name, description, input }) =>
    Buffer.byteLength(JSON.stringify({ name, description, input })),
  );
  return bytes.reduce((sum, one) => sum + one, 0) <= budget.bytes;
}
