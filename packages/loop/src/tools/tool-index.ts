import type { HistoryCall } from '../history/message.ts';
import { type AwaitedTool, type LocalTool, type Tool, toolName } from './tool.ts';

export type Runner = Pick<LocalTool, 'idempotent' | 'run'> & { input?: LocalTool['input'] };

/** Finds the tool of a call by the tool's own name. */
export interface ToolIndex {
  awaited(name: string): AwaitedTool | undefined;
  runner(name: string): Runner | undefined;
}

export function toolIndex(tools: readonly Tool[]): ToolIndex {
  const byName = new Map(tools.map((tool) => [toolName(tool), tool]));
  return {
    awaited(name) {
      const tool = byName.get(name);
      return tool !== undefined && 'answeredBy' in tool ? tool : undefined;
    },
    runner(name) {
      const tool = byName.get(name);
      if (tool === undefined || 'answeredBy' in tool) return undefined;
      return 'provider' in tool ? tool.runner : tool;
    },
  };
}

/** Whether a call runs immediately, only after a user allows it, or never. */
export type ApprovalPolicy = (call: HistoryCall) => 'allow' | 'ask' | 'deny';
