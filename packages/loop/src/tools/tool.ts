import type { Json, JsonObject } from '@chatd/protocol';
import type { z } from 'zod';
import type { Media } from './media.ts';
import type { ModelName, NativeTool } from './native-tool.ts';

/** A zod schema, or a JSON Schema as sent by MCP servers and clients. */
export type ToolInput = z.ZodType | JsonObject;

export type ToolOutput = Json | Media | undefined;

export interface ToolContext {
  readonly callId: string;
  /** When the model made the call. With `callId`, it identifies the call even after edits of the history. */
  readonly calledAt?: string | undefined;
  /** Aborted when the turn is interrupted or the process stops; see its reason. */
  readonly signal: AbortSignal;
  /** Shows output of the running tool. */
  publish(text: string): void;
}

interface Declared {
  name: string;
  description?: string;
  input: ToolInput;
}

/** Runs here. If it throws, the call gets an error result. */
export interface LocalTool extends Declared {
  /** True if running it twice is harmless. Otherwise it never starts twice, even after a crash. */
  idempotent: boolean;
  /** The provider's own definition of this tool, under the same name. Default: an ordinary function. */
  native?(model: ModelName): NativeTool | undefined;
  /** About how many of the latest results keep their files in the prompt; older ones keep only their text. */
  recentFiles?: number;
  // A method, so that a tool with narrower arguments fits a list of tools.
  run(args: Json, context: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** Answered outside of the loop, by a client or a user. The turn waits. */
export interface AwaitedTool extends Declared {
  answeredBy: 'client' | 'person';
}

/** Known to the provider by its ID. Without `run`, the provider executes it. */
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
  // The arguments are already parsed by the schema.
  return definition as unknown as LocalTool;
}
