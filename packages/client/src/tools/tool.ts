import type { DynamicTool, JsonObject } from '@chatd/protocol';

/** A schema of zod, valibot, arktype and others, as they have agreed (Standard Schema). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Newer ones can say what they want as JSON Schema. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown> }
      | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** JSON Schema, as an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ToolSchema = StandardSchema | JsonSchema;

/** What `run` is given: what a schema of zod makes of the arguments; of JSON Schema nothing is known at compile time. */
export type ArgumentsOf<S> = S extends StandardSchema<infer _, infer Output> ? Output : JsonObject;

/** Which call it is. */
export interface ToolCallContext {
  /** The chat whose agent calls. */
  readonly chatId: string;
  /** Unique within the chat; the same when the call is answered after a restart of your program. */
  readonly toolCallId: string;
  /** Aborted when the chat no longer waits for the result: the turn was interrupted, or somebody else answered. */
  readonly signal: AbortSignal;
}

/** A tool that runs in your program. */
export interface ServedTool<S = ToolSchema> {
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** What it takes: a zod schema (or another that follows Standard Schema), or JSON Schema. Nothing, unless given. */
  readonly schema?: S;
  /** For a Standard Schema that cannot describe itself. */
  readonly inputSchema?: JsonSchema;
  /** Anything JSON can hold. What it throws is told to the model as the error of the call. */
  readonly run: (args: ArgumentsOf<S>, context: ToolCallContext) => unknown;
}

export type ServedTools<Schemas> = {
  readonly [Name in keyof Schemas]: ServedTool<Schemas[Name]>;
};

/** Tools whose schemas are not known at compile time. */
export interface AnyTool extends Omit<ServedTool, 'schema' | 'run'> {
  readonly schema?: object;
  readonly run: (args: never, context: ToolCallContext) => unknown;
}
export type AnyTools = Readonly<Record<string, AnyTool>>;

export const isStandard = (schema: object): schema is StandardSchema => '~standard' in schema;

/** How the chat knows the tools. */
export function declarationsOf(tools: AnyTools): DynamicTool[] {
  return Object.entries(tools).map(([name, tool]) => ({
    name,
    description: tool.description,
    input_schema: inputSchemaOf(name, tool),
  }));
}

export function inputSchemaOf(name: string, tool: AnyTool): JsonObject {
  const { schema } = tool;
  if (tool.inputSchema !== undefined) return tool.inputSchema as JsonObject;
  if (schema === undefined) return { type: 'object', properties: {} };
  if (!isStandard(schema)) return schema as JsonObject;
  const described = schema['~standard'].jsonSchema?.input({ target: 'draft-07' });
  if (described === undefined) {
    throw new TypeError(
      `The schema of the tool ${name} (${schema['~standard'].vendor}) cannot describe itself: give its JSON Schema as inputSchema.`,
    );
  }
  return described as JsonObject;
}
