import type { DynamicTool, JsonObject } from '@chatd/protocol';

/** A schema of zod, valibot, arktype or another library that implements Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Newer libraries can convert a schema to JSON Schema. */
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

/** A JSON Schema object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type ToolSchema = StandardSchema | JsonSchema;

/** The arguments of `run`: the output type of a Standard Schema. JSON Schema has no static type. */
export type ArgumentsOf<S> = S extends StandardSchema<infer _, infer Output> ? Output : JsonObject;

/** Context of a tool call. */
export interface ToolCallContext {
  /** The chat that made the call. */
  readonly chatId: string;
  /** Unique within the chat. Stays the same if the call is answered after a restart of your program. */
  readonly toolCallId: string;
  /** Aborted when the result is no longer needed, because the turn was interrupted or another program answered. */
  readonly signal: AbortSignal;
}

/** A tool that runs in your program. */
export interface ServedTool<S = ToolSchema> {
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** Schema of the arguments: zod or another Standard Schema, or JSON Schema. Default: no arguments. */
  readonly schema?: S;
  /** JSON Schema, for a Standard Schema that cannot be converted. */
  readonly inputSchema?: JsonSchema;
  /** Returns any JSON value. If it throws, the model gets the error message. */
  readonly run: (args: ArgumentsOf<S>, context: ToolCallContext) => unknown;
}

export type ServedTools<Schemas> = {
  readonly [Name in keyof Schemas]: ServedTool<Schemas[Name]>;
};

export interface AnyTool extends Omit<ServedTool, 'schema' | 'run'> {
  readonly schema?: object;
  readonly run: (args: never, context: ToolCallContext) => unknown;
}
export type AnyTools = Readonly<Record<string, AnyTool>>;

export const isStandard = (schema: object): schema is StandardSchema => '~standard' in schema;

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
      `The ${schema['~standard'].vendor} schema of the tool ${name} cannot be converted to JSON Schema. Set inputSchema.`,
    );
  }
  return described as JsonObject;
}
