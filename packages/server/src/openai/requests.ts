import { DynamicTool, JsonObject, ReasoningEffort } from '@chatd/protocol';
import { z } from 'zod';

/*
 * Requests of OpenAI clients. Parameters that chatd cannot honor are refused, except with the value that changes nothing.
 * Parameters that only affect caching and telemetry at OpenAI are accepted and ignored.
 */

const unsupported = (hint: string, ...neutral: readonly unknown[]) =>
  z
    .unknown()
    .refine(
      (value) =>
        value === undefined ||
        value === null ||
        neutral.some((one) => JSON.stringify(one) === JSON.stringify(value)),
      `is not supported. ${hint}`,
    )
    .optional();

const IN_MODEL_CONFIG = 'Set it in the options of the model config.';
const ignored = z.unknown().optional();

const Metadata = z.record(z.string(), z.string()).nullish();

const SHARED = {
  model: z.string().min(1).max(256).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  metadata: Metadata,
  temperature: unsupported(IN_MODEL_CONFIG, 1),
  top_p: unsupported(IN_MODEL_CONFIG, 1),
  top_logprobs: unsupported('Omit it.', 0),
  parallel_tool_calls: unsupported('The model decides.', true),
  service_tier: unsupported('Omit it.', 'auto', 'default'),
  user: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
  prompt_cache_options: ignored,
};

const FILE_FIELDS = {
  file_id: z.string().nullish(),
  file_url: unsupported('Send the content as file_data, or upload the file to chatd.'),
  file_data: z.string().nullish(),
  filename: z.string().max(1024).nullish(),
  detail: ignored,
};

const ContentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.object({ type: z.literal('output_text'), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: ignored,
  }),
  z.strictObject({ type: z.literal('input_file'), ...FILE_FIELDS }),
]);
export type ContentPart = z.infer<typeof ContentPart>;

const MessageItem = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(ContentPart)]),
});

const CallId = z.string().min(1).max(256);

/** Items of an input list. Items of earlier responses are accepted as they were sent. */
const InputItem = z.union([
  MessageItem,
  z.object({
    type: z.literal('function_call'),
    call_id: CallId,
    name: z.string().min(1).max(64),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('function_call_output'),
    call_id: CallId,
    output: z.union([z.string(), z.array(ContentPart)]),
  }),
  z.object({
    type: z.literal('mcp_approval_response'),
    approval_request_id: CallId,
    approve: z.boolean(),
    reason: z.string().max(2000).nullish(),
  }),
  z.object({
    type: z.literal('mcp_call'),
    id: CallId,
    name: z.string(),
    arguments: z.string(),
    output: z.string().nullish(),
  }),
  z.object({ type: z.enum(['reasoning', 'mcp_approval_request']) }),
]);
export type InputItem = z.infer<typeof InputItem>;

const FunctionTool = z
  .strictObject({
    type: z.literal('function', { error: 'must be "function". Other tools are set in chatd' }),
    name: DynamicTool.shape.name,
    description: z.string().max(8192).nullish(),
    parameters: JsonObject.nullish(),
    strict: z.boolean().nullish(),
    defer_loading: unsupported('Omit it.', false),
  })
  .transform(({ name, description, parameters }) => ({
    name,
    description: description ?? '',
    input_schema: parameters ?? { type: 'object', properties: {} },
  }));

const Tools = z.array(FunctionTool).max(128).nullish();
const ToolChoice = unsupported('The model decides which tools to call.', 'auto');

export const ResponseRequest = z.strictObject({
  ...SHARED,
  input: z.union([z.string(), z.array(InputItem).max(10_000)]).nullish(),
  instructions: z.string().max(65_536).nullish(),
  previous_response_id: z.string().max(128).nullish(),
  conversation: z
    .union([z.string().max(128), z.strictObject({ id: z.string().max(128) })])
    .nullish(),
  background: z.boolean().nullish(),
  tools: Tools,
  tool_choice: ToolChoice,
  reasoning: z
    .strictObject({
      effort: ReasoningEffort.nullish(),
      summary: ignored,
      generate_summary: ignored,
    })
    .nullish(),
  text: z
    .strictObject({
      format: unsupported('Only text is supported.', { type: 'text' }),
      verbosity: unsupported('Ask for it in the instructions.', 'medium'),
    })
    .nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  max_output_tokens: unsupported(IN_MODEL_CONFIG),
  max_tool_calls: unsupported('Set the step limit in the settings.'),
  stream_options: ignored,
  include: z.array(z.enum(['reasoning.encrypted_content'])).nullish(),
  prompt: unsupported('Send the text as instructions.'),
  context_management: unsupported('chatd compacts long conversations itself.'),
});
export type ResponseRequest = z.infer<typeof ResponseRequest>;

const ChatFile = z.strictObject({
  file_id: FILE_FIELDS.file_id,
  file_data: FILE_FIELDS.file_data,
  filename: FILE_FIELDS.filename,
});

const ChatPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string(), detail: ignored }),
  }),
  z.strictObject({ type: z.literal('file'), file: ChatFile }),
]);

const ChatMessage = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(ChatPart)]).nullish(),
  tool_calls: z
    .array(
      z.object({
        id: CallId,
        type: z.literal('function'),
        function: z.object({ name: z.string().min(1).max(64), arguments: z.string() }),
      }),
    )
    .nullish(),
  tool_call_id: CallId.nullish(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ChatCompletionRequest = z.strictObject({
  ...SHARED,
  messages: z.array(ChatMessage).min(1).max(10_000),
  tools: z
    .array(
      z
        .strictObject({ type: z.literal('function'), function: z.unknown() })
        .transform(({ function: tool }) => ({ type: 'function', ...(tool as object) }))
        .pipe(FunctionTool),
    )
    .max(128)
    .nullish(),
  tool_choice: ToolChoice,
  reasoning_effort: ReasoningEffort.nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: ignored })
    .nullish(),
  n: unsupported('Send several requests.', 1),
  logprobs: unsupported('Omit it.', false),
  logit_bias: unsupported('Omit it.', {}),
  stop: unsupported('Omit it.', []),
  seed: unsupported('Omit it.'),
  frequency_penalty: unsupported(IN_MODEL_CONFIG, 0),
  presence_penalty: unsupported(IN_MODEL_CONFIG, 0),
  max_tokens: unsupported(IN_MODEL_CONFIG),
  max_completion_tokens: unsupported(IN_MODEL_CONFIG),
  response_format: unsupported('Only text is supported.', { type: 'text' }),
  modalities: unsupported('Only text is supported.', ['text']),
  verbosity: unsupported('Ask for it in a system message.', 'medium'),
});

export const ConversationRequest = z.strictObject({
  metadata: Metadata,
  items: z.array(InputItem).max(10_000).nullish(),
});

export const MetadataRequest = z.strictObject({ metadata: z.record(z.string(), z.string()) });

export const ResponseQuery = z.strictObject({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(-1).max(Number.MAX_SAFE_INTEGER).optional(),
  include_obfuscation: ignored,
});

export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(128).optional(),
});
