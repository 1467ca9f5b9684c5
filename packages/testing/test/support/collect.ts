import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

type Part<Type extends string> = Extract<LanguageModelV4StreamPart, { type: Type }>;

export interface Collected {
  parts: LanguageModelV4StreamPart[];
  text: string;
  reasoning: string;
  /** The error that ended the stream, thrown or sent as a part. */
  error: unknown;
  of: <Type extends LanguageModelV4StreamPart['type']>(type: Type) => Part<Type>[];
  finish: Part<'finish'> | undefined;
}

export const HELLO: LanguageModelV4Prompt = [
  { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
];

export const ADD: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
};

/** Streams one answer until it ends or fails. */
export async function collect(
  model: LanguageModelV4,
  options: Partial<LanguageModelV4CallOptions> & {
    onPart?: (part: LanguageModelV4StreamPart) => void;
  } = {},
): Promise<Collected> {
  const { onPart, ...call } = options;
  const parts: LanguageModelV4StreamPart[] = [];
  let error: unknown;
  try {
    const { stream } = await model.doStream({ prompt: HELLO, tools: [ADD], ...call });
    for await (const part of stream) {
      parts.push(part);
      if (part.type === 'error') error ??= part.error;
      onPart?.(part);
    }
  } catch (thrown) {
    error ??= thrown;
  }
  return summary(parts, error);
}

function summary(parts: LanguageModelV4StreamPart[], error: unknown): Collected {
  const of: Collected['of'] = (type) =>
    parts.filter((part): part is Part<typeof type> => part.type === type);
  return {
    parts,
    error,
    of,
    text: of('text-delta')
      .map(({ delta }) => delta)
      .join(''),
    reasoning: of('reasoning-delta')
      .map(({ delta }) => delta)
      .join(''),
    finish: of('finish').at(-1),
  };
}
