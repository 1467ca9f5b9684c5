import type { Json, JsonObject } from '@chatd/protocol';
import type { z } from 'zod';
import type { Media } from './media.ts';
import type { ModelName, NativeTool } from './native-tool.ts';

/** A zod schema, or a JSON Schema as MCP servers and clients send it. */
export type ToolInput = z.ZodType | JsonObject;

export type ToolOutput = Json | Media | undefined;

export interface ToolContext {
  readonly callId: string;
  /** Aborted when the turn is interrupted or the process stops; its reason says which. */
  readonly signal: AbortSignal;
  /** Shows output of a tool that is still running. */
  publish(text: string): void;
}

interface Declared {
  name: string;
  description?: string;
  input: ToolInput;
}

/** Runs here. What it throws becomes an error result. */
export interface LocalTool extends Declared {
  /** Running it twice is harmless. If not, it is never started twice, whatever dies. */
  idempotent: boolean;
  /** The definition that a provider has of this tool, under the same name; without one it is an ordinary function. */
  native?(model: ModelName): NativeTool | undefined;
  /** The model goes on to see only about so many of the latest results with files; of older ones, the words. */
  recentFiles?: number;
  // A method, so that a tool with narrower arguments fits a list of tools.
  run(args: Json, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** Answered outside: by the client's program, or by a person who is asked. The turn waits. */
export interface AwaitedTool extends Declared {
  answeredBy: 'client' | 'person';
}

/** Known to the provider by its id. Without `run` the provider executes it as well. */
export interface ProviderTool {
  provider: { id: `${string}.${string}`; name: string; args: Record<string, unknown> };
  runner?: Pick<LocalTool, 'idempotent' | 'run'>;
}

export type Tool = LocalTool | AwaitedTool | ProviderTool;

export const toolName = (tool: Tool): string =>
  'provider' in tool ? tool.provider.name : tool.name;

/** A local tool whose arguments have the type of its zod schema. */
export function tool<Input extends z.ZodType>(definition: {
  name: string;
  description?: string;
  input: Input;
  idempotent: boolean;
  native?: NonNullable<LocalTool['native']>;
  recentFiles?: number;
  run(args: z.output<Input>, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}): LocalTool {
  // The schema has parsed the arguments by the time `run` gets them.
  return definition as unknown as LocalTool;
}
