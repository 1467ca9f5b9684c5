import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import * as fc from 'fast-check';
import type { ApiName } from './apis.ts';

type Message = LanguageModelV4Message;
type User = Extract<Message, { role: 'user' }>;
type Assistant = Extract<Message, { role: 'assistant' }>;
type Tool = Extract<Message, { role: 'tool' }>;
type Output = Extract<Tool['content'][number], { type: 'tool-result' }>['output'];

const text = fc.constantFrom('Hi', ' spaced ', 'Größe 🦄\n"quoted"', '', '{"a":1}', '   ');
const json = fc.constantFrom<unknown>(
  { a: 1 },
  { nested: [{ b: null }, true], empty: {} },
  [],
  'text',
  null,
  7,
  { $ref: 'x' },
);

const file = fc.record(
  {
    type: fc.constant('file' as const),
    mediaType: fc.constantFrom(
      'image/png',
      'image/jpeg',
      'application/pdf',
      'audio/mpeg',
      'image/*',
    ),
    data: fc.constantFrom(
      { type: 'data' as const, data: 'iVBORw0KGgo=' },
      { type: 'data' as const, data: new Uint8Array([1, 2]) },
      { type: 'url' as const, url: new URL('https://files.test/x') },
    ),
    filename: fc.constantFrom('a.pdf', 'b.png'),
  },
  { requiredKeys: ['type', 'mediaType', 'data'] },
);

/** Options of parts as the packages produce them, and rare or foreign ones. */
type PartOptions = Record<'text' | 'reasoning' | 'call', SharedV4ProviderOptions[]>;

const compatible: PartOptions = {
  text: [{ openaiCompatible: { x: 1 } }, { anthropic: { x: 1 } }],
  reasoning: [{}, { anthropic: { signature: 'c2ln' } }],
  call: [
    { openaiCompatible: { thoughtSignature: 'c2ln' } },
    { google: { thoughtSignature: 'c2ln' } },
    { anthropic: { x: 1 } },
  ],
};

const OPTIONS: Record<ApiName, PartOptions> = {
  anthropic: {
    text: [{ anthropic: {} }, { anthropic: { citations: [] } }, { openai: { itemId: 'x' } }],
    reasoning: [
      { anthropic: { signature: 'c2ln' } },
      { anthropic: { redactedData: 'cmVk' } },
      { anthropic: { signature: 'c2ln', cacheControl: { type: 'ephemeral' } } },
    ],
    call: [
      { anthropic: { caller: { type: 'direct' } } },
      { anthropic: { caller: { type: 'code_execution_20250825', toolId: 'x' } } },
      { anthropic: { toolsetName: 'computer' } },
    ],
  },
  'openai-responses': {
    text: [
      { openai: { itemId: 'msg_1' } },
      { openai: { itemId: 'msg_2', phase: 'commentary' } },
      { openai: { itemId: 'msg_2', phase: null } },
      { anthropic: { x: 1 } },
    ],
    reasoning: [
      { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5j' } },
      { openai: { itemId: 'rs_1', reasoningEncryptedContent: null } },
      { openai: { itemId: 'rs_2' } },
      { openai: { reasoningEncryptedContent: 'ZW5j' } },
    ],
    call: [
      { openai: { itemId: 'fc_1' } },
      { openai: { itemId: 'fc_1', async: true } },
      { openai: { itemId: 'fc_1', namespace: 'n' } },
    ],
  },
  google: {
    text: [{ google: { thoughtSignature: 'c2ln' } }, { google: {} }, { anthropic: { x: 1 } }],
    reasoning: [{ google: { thoughtSignature: 'c2ln' } }],
    call: [
      { google: { thoughtSignature: 'c2ln' } },
      { google: { serverToolCallId: 'x', serverToolType: 'y' } },
    ],
  },
  'openai-chat': {
    text: [{ openai: { promptCacheBreakpoint: {} } }, { anthropic: { x: 1 } }],
    reasoning: [{}, { openai: { itemId: 'rs_1' } }],
    call: [{ openai: { itemId: 'fc_1' } }, { anthropic: { x: 1 } }],
  },
  'openai-compatible': compatible,
  'openai-compatible with media in results': compatible,
};

const withOptions = <T extends object>(part: fc.Arbitrary<T>, all: SharedV4ProviderOptions[]) =>
  fc
    .tuple(part, fc.option(fc.constantFrom(...all), { freq: 4, nil: undefined }))
    .map(([each, providerOptions]) =>
      providerOptions === undefined ? each : { ...each, providerOptions },
    );

const output: fc.Arbitrary<Output> = fc.oneof(
  { weight: 6, arbitrary: text.map((value): Output => ({ type: 'text', value })) },
  { weight: 2, arbitrary: text.map((value): Output => ({ type: 'error-text', value })) },
  { weight: 4, arbitrary: json.map((value) => ({ type: 'json', value }) as Output) },
  { weight: 2, arbitrary: json.map((value) => ({ type: 'error-json', value }) as Output) },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          text.map((each) => ({ type: 'text' as const, text: each })),
          file,
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((value) => ({ type: 'content' as const, value })),
  },
  { weight: 1, arbitrary: fc.constant<Output>({ type: 'execution-denied' }) },
);

const toolCallId = fc.constantFrom('call_1', 'call_2');
const toolName = fc.constantFrom('weather', 'search');

const user: fc.Arbitrary<User> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: text.map((each) => ({ type: 'text' as const, text: each })) },
      { weight: 1, arbitrary: file },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((content) => ({ role: 'user' as const, content }));

function assistant(api: ApiName): fc.Arbitrary<Assistant> {
  const own = OPTIONS[api];
  const called = fc.record({
    type: fc.constant('tool-call' as const),
    toolCallId,
    toolName,
    input: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<unknown>({ city: 'Rome' }, {}) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>('{"a":1}', 'not json', null, [1]) },
    ),
  });
  const part = fc.oneof(
    {
      weight: 20,
      arbitrary: withOptions(
        text.map((each) => ({ type: 'text', text: each })),
        own.text,
      ),
    },
    {
      weight: 15,
      arbitrary: fc
        .tuple(text, fc.constantFrom(...own.reasoning))
        .map(([each, providerOptions]) => ({ type: 'reasoning', text: each, providerOptions })),
    },
    { weight: 20, arbitrary: withOptions(called, own.call) },
    {
      weight: 1,
      arbitrary: called.map((each) => ({ ...each, providerExecuted: true })),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'custom', kind: 'anthropic.fallback' }) },
  );
  return fc
    .array(part, { minLength: 1, maxLength: 4 })
    .map((content) => ({ role: 'assistant', content }) as Assistant);
}

const tool: fc.Arbitrary<Tool> = fc
  .array(fc.record({ type: fc.constant('tool-result' as const), toolCallId, toolName, output }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((content) => ({ role: 'tool', content }));

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } };

const marked = (message: Message, isMarked: boolean): Message =>
  isMarked ? { ...message, providerOptions: MARK } : message;

/** Conversations as the loop sends them, and some that it does not send. */
export function promptOf(api: ApiName): fc.Arbitrary<Message[]> {
  const system = text.map((content): Message => ({ role: 'system', content }));
  const step = fc.tuple(
    assistant(api),
    fc.option(tool, { freq: 3, nil: undefined }),
    fc.option(user, { freq: 2, nil: undefined }),
  );
  const marks = fc.array(fc.boolean(), { maxLength: 12 });
  return fc
    .tuple(
      fc.array(system, { maxLength: 2 }),
      user,
      fc.array(step, { maxLength: 3 }),
      user,
      marks,
      fc.nat(20),
    )
    .map(([first, asked, steps, last, isMarked, odd]) => {
      const middle = steps.flat().filter((message) => message !== undefined);
      const late: Message[] = odd === 0 ? [{ role: 'system', content: 'late' }] : [];
      const all = [...first, asked, ...middle, ...late, ...(odd === 1 ? [] : [last])];
      return api === 'anthropic'
        ? all.map((each, index) => marked(each, isMarked[index] === true))
        : all;
    });
}

const functions = ['weather', 'search'].map((name) => ({
  type: 'function' as const,
  name,
  description: `Tool ${name}`,
  inputSchema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const }, deep: { type: 'object' as const } },
    required: ['city'],
    additionalProperties: false,
  },
}));

const PROVIDER_TOOLS: Record<ApiName, { id: `${string}.${string}`; name: string }[]> = {
  anthropic: [
    { id: 'anthropic.web_search_20250305', name: 'web_search' },
    { id: 'anthropic.computer_toolset_20260801', name: 'computer' },
  ],
  'openai-responses': [
    { id: 'openai.web_search', name: 'web_search' },
    { id: 'openai.computer', name: 'computer' },
  ],
  google: [{ id: 'google.google_search', name: 'google_search' }],
  'openai-chat': [{ id: 'openai.web_search', name: 'web_search' }],
  'openai-compatible': [{ id: 'openai.web_search', name: 'web_search' }],
  'openai-compatible with media in results': [{ id: 'openai.web_search', name: 'web_search' }],
};

const COMPATIBLE_OPTIONS: SharedV4ProviderOptions[] = [
  { openaiCompatible: { user: 'u', reasoningEffort: 'low', chat_template_kwargs: { x: true } } },
  { openaiCompatible: { textVerbosity: 'low', temperature: 1, num_ctx: 4096 } },
  { openaiCompatible: { reasoningEffort: null } },
  { 'openai-compatible': { user: 'u' } },
  { openaiCompatible: { user: 7 } },
];

const PROVIDER_OPTIONS: Record<ApiName, SharedV4ProviderOptions[]> = {
  anthropic: [
    { anthropic: { effort: 'high' } },
    { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } },
    { anthropic: { thinking: { type: 'adaptive', display: 'updates' }, speed: 'fast' } },
    { anthropic: { sendReasoning: false } },
    {
      anthropic: { disableParallelToolUse: true, toolStreaming: false, metadata: { userId: 'u' } },
    },
    { anthropic: { anthropicBeta: ['pdfs-2024-09-25', 'other-beta'], serviceTier: 'auto' } },
    { anthropic: { contextManagement: { edits: [{ type: 'clear_tool_uses_20250919' }] } } },
    { anthropic: { fallbacks: 'default', taskBudget: { type: 'tokens', total: 20_000 } } },
  ],
  'openai-responses': [
    { openai: { store: false } },
    { openai: { store: true, instructions: 'Be brief.' } },
    { openai: { store: true, previousResponseId: 'resp_1', instructions: 'Be brief.' } },
    { openai: { reasoningEffort: 'low', reasoningSummary: 'auto', serviceTier: 'flex' } },
    { openai: { systemMessageMode: 'remove' } },
    { openai: { systemMessageMode: 'system', textVerbosity: 'low', parallelToolCalls: false } },
    { openai: { forceReasoning: true, include: ['reasoning.encrypted_content'], user: 'u' } },
    { openai: { conversation: 'conv_1' } },
    { openai: { promptCacheKey: 'k', promptCacheRetention: '24h', truncation: 'auto' } },
  ],
  google: [
    { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 100 } } },
    { google: { threshold: 'BLOCK_NONE', serviceTier: 'flex' } },
    { google: { responseModalities: ['TEXT'], mediaResolution: 'MEDIA_RESOLUTION_LOW' } },
  ],
  'openai-chat': [
    { openai: { reasoningEffort: 'low', serviceTier: 'flex', store: false, user: 'u' } },
    { openai: { systemMessageMode: 'remove' } },
    { openai: { systemMessageMode: 'developer', parallelToolCalls: false } },
    { openai: { forceReasoning: true, promptCacheKey: 'k', maxCompletionTokens: 50 } },
    { openai: { logitBias: { 50256: -100 }, logprobs: 2 } },
  ],
  'openai-compatible': COMPATIBLE_OPTIONS,
  'openai-compatible with media in results': COMPATIBLE_OPTIONS,
};

/** Options of calls without their prompt. */
export function optionsOf(api: ApiName): fc.Arbitrary<Omit<LanguageModelV4CallOptions, 'prompt'>> {
  const special = PROVIDER_TOOLS[api].map((each) => ({
    type: 'provider' as const,
    args: {},
    ...each,
  }));
  return fc.record(
    {
      tools: fc.oneof(
        { weight: 5, arbitrary: fc.constant(functions) },
        { weight: 1, arbitrary: fc.constantFrom(...special).map((each) => [...functions, each]) },
      ),
      toolChoice: fc.constantFrom(
        { type: 'auto' as const },
        { type: 'none' as const },
        { type: 'required' as const },
      ),
      maxOutputTokens: fc.constantFrom(100, 500_000),
      temperature: fc.constantFrom(0, 0.7, 2),
      topP: fc.constant(0.9),
      topK: fc.constant(5),
      presencePenalty: fc.constant(0.5),
      reasoning: fc.constantFrom(
        'low' as const,
        'high' as const,
        'xhigh' as const,
        'none' as const,
      ),
      providerOptions: fc.constantFrom(...PROVIDER_OPTIONS[api]),
    },
    { requiredKeys: [] },
  );
}
