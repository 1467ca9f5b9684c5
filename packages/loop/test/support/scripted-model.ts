import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

type Part = LanguageModelV4StreamPart;
/** An answer: parts, an error instead of a stream, or a stream that the test controls. */
export type Scripted =
  | Part[]
  | Error
  | ((call: LanguageModelV4CallOptions) => ReadableStream<Part>);

export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: LanguageModelV4CallOptions[];
}

/** A model without HTTP. Fails when it has no more answers. */
export function scriptedModel(
  answers: Iterable<Scripted>,
  { provider = 'fake.chat', modelId = 'fake-1' } = {},
): ScriptedModel {
  const script = answers[Symbol.iterator]();
  const calls: LanguageModelV4CallOptions[] = [];
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('the loop only streams')),
    doStream(call) {
      calls.push(call);
      const { value: answer, done } = script.next();
      if (done === true) return Promise.reject(new Error('the script has no more answers'));
      if (answer instanceof Error) return Promise.reject(answer);
      const stream = typeof answer === 'function' ? answer(call) : ReadableStream.from(answer);
      return Promise.resolve({ stream: stream });
    },
  };
}

export function usage(
  input = 10,
  output = 5,
  cache: { read?: number; write?: number } = {},
): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: input + (cache.read ?? 0) + (cache.write ?? 0),
      noCache: input,
      cacheRead: cache.read,
      cacheWrite: cache.write,
    },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}

export const finish = (
  unified: LanguageModelV4FinishReason['unified'],
  used: LanguageModelV4Usage = usage(),
  raw?: string,
): Part => ({ type: 'finish', finishReason: { unified, raw }, usage: used });

export const said = (text: string, id = 't'): Part[] => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta: text },
  { type: 'text-end', id },
];

export const thought = (text: string, signature?: string, id = 'r'): Part[] => [
  { type: 'reasoning-start', id },
  { type: 'reasoning-delta', id, delta: text },
  ...(signature === undefined
    ? []
    : [
        {
          type: 'reasoning-delta' as const,
          id,
          delta: '',
          providerMetadata: { anthropic: { signature } },
        },
      ]),
  { type: 'reasoning-end', id },
];

export const called = (toolName: string, input: unknown, id: string): Part[] => {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: text },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, input: text },
  ];
};

export const says = (text: string, used?: LanguageModelV4Usage): Part[] => [
  ...said(text),
  finish('stop', used),
];

export const calls = (...parts: Part[][]): Part[] => [...parts.flat(), finish('tool-calls')];

/** A stream that the test controls. `onAbort` sets how it reacts to an abort. */
export function drivenStream(onAbort: 'ends' | 'raises' | 'ignores' = 'raises') {
  const opened = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Part>;
  const answer = (call: LanguageModelV4CallOptions) => {
    const stream = new ReadableStream<Part>({
      start(own) {
        controller = own;
        call.abortSignal?.addEventListener('abort', () => {
          try {
            if (onAbort === 'ends') own.close();
            if (onAbort === 'raises') own.error(new Error('Failed to process successful response'));
          } catch {
            // Already canceled by the reader.
          }
        });
      },
    });
    opened.resolve();
    return stream;
  };
  return {
    answer,
    opened: opened.promise,
    push: (...parts: Part[]) => parts.forEach((part) => controller.enqueue(part)),
    close: () => controller.close(),
  };
}
