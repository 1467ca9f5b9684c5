import { type Clock, type LocalTool, systemClock, type ToolOutput } from '@chatd/loop';
import type { z } from 'zod';
import type { WorkspaceHandle } from '../../src/tools/workspace-handle.ts';
import { openWorkspace } from '../../src/workspaces/open-workspaces.ts';
import type { TestBox } from '../workspaces/sandboxes.ts';

export function deskFor(sandbox: TestBox, clock: Clock = systemClock): WorkspaceHandle {
  const workspace = openWorkspace('w', sandbox.sandbox, () => clock.now());
  return { clock, use: () => Promise.resolve(workspace) };
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly publish?: (text: string) => void;
}

/** Calls a tool as the loop does: with arguments that its schema has parsed. */
export async function call(
  tool: LocalTool,
  args: unknown = {},
  { signal = new AbortController().signal, publish = () => undefined }: CallOptions = {},
): Promise<ToolOutput> {
  const parsed = (tool.input as z.ZodType).parse(args);
  return await tool.run(parsed as never, { callId: 'call-1', signal, publish });
}

/** What a tool refuses with. */
export async function refusal(tool: LocalTool, args: unknown): Promise<string> {
  return await call(tool, args).then(
    (output) => `no refusal: ${JSON.stringify(output)}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** What a tool answers in words. */
export async function text(tool: LocalTool, args: unknown): Promise<string> {
  const output = await call(tool, args);
  if (typeof output !== 'string') throw new Error(`no text: ${JSON.stringify(output)}`);
  return output;
}
