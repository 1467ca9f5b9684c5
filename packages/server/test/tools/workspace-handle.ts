import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Clock, type LocalTool, systemClock, type ToolOutput } from '@chatd/loop';
import { afterAll } from 'vitest';
import type { z } from 'zod';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { Journal } from '../../src/machine/local/journal.ts';
import { noCheckpoints } from '../../src/machine/checkpoints/hosted-checkpoints.ts';
import { LocalWorkspace } from '../../src/machine/local/local-workspace.ts';
import type { WorkspaceHandle } from '../../src/tools/workspace-handle.ts';
import type { TestBox } from '../workspaces/sandboxes.ts';

export function deskFor(sandbox: TestBox, clock: Clock = systemClock): WorkspaceHandle {
  const opening = open(sandbox, clock);
  return {
    clock,
    use: () => opening,
    beforeChange: () => Promise.resolve(),
    hold: () => () => undefined,
    callKey: ({ callId }) => callId,
    isTakenOver: () => Promise.resolve(false),
    count: () => undefined,
  };
}

async function open({ sandbox }: TestBox, clock: Clock): Promise<LocalWorkspace> {
  const directory = await makeTemporaryDirectory();
  const journal = await Journal.open(directory, () => clock.now());
  afterAll(async () => {
    await sandbox.close();
    await journal.close();
    await rm(directory, { recursive: true, force: true });
  });
  return new LocalWorkspace({
    id: 'w',
    sandbox,
    checkpoints: noCheckpoints('none in this test'),
    journal,
    clock,
  });
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly publish?: (text: string) => void;
  /** Default: a new one. */
  readonly callId?: string;
}

/** Calls a tool as the loop does: with arguments that its schema has parsed. */
export async function call(
  tool: LocalTool,
  args: unknown = {},
  options: CallOptions = {},
): Promise<ToolOutput> {
  const parsed = (tool.input as z.ZodType).parse(args);
  return await tool.run(parsed as never, {
    callId: options.callId ?? randomUUID(),
    signal: options.signal ?? new AbortController().signal,
    publish: options.publish ?? (() => undefined),
  });
}

/** The message with which a tool refuses a call. */
export async function refusal(tool: LocalTool, args: unknown): Promise<string> {
  return await call(tool, args).then(
    (output) => `no refusal: ${JSON.stringify(output)}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** The result of a tool that returns text. */
export async function text(tool: LocalTool, args: unknown): Promise<string> {
  const output = await call(tool, args);
  if (typeof output !== 'string') throw new Error(`no text: ${JSON.stringify(output)}`);
  return output;
}
