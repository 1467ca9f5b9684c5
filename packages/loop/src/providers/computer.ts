import type {
  JSONValue,
  LanguageModelV4ToolCallPart as Call,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';
import type { ModelName, NativeTool } from '../tools/native-tool.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The provider's own definition of a computer tool, for models that have one. `size` is that of the screenshots. Only
 * for direct connections, because gateways may not support it. Unlisted models get an ordinary function.
 */
export function nativeComputer(
  { provider, modelId }: ModelName,
  size: Size,
): NativeTool | undefined {
  if (provider.startsWith('anthropic')) return anthropicComputer(modelId, size);
  if (provider === 'openai.responses') return openaiComputer(modelId);
  return undefined;
}

/** Newest first: a model accepts only the definition of its generation. */
const ANTHROPIC: readonly (readonly [models: RegExp, version: string])[] = [
  [/^claude-(?:opus|sonnet|fable)-5(?!\d)|^claude-opus-4-8/, 'toolset_20260801'],
  [/^claude-opus-4-[567](?!\d)|^claude-sonnet-4-6/, '20251124'],
  [
    /^claude-(?:sonnet|haiku)-4-5|^claude-opus-4-1|^claude-(?:sonnet|opus)-4(?:-0|-\d{8}|$)/,
    '20250124',
  ],
];

function anthropicComputer(modelId: string, { width, height }: Size): NativeTool | undefined {
  const [, version] = ANTHROPIC.find(([models]) => models.test(modelId)) ?? [];
  if (version === undefined) return undefined;
  const screen = { displayWidthPx: width, displayHeightPx: height };
  return {
    id: `anthropic.computer_${version}`,
    args:
      version === 'toolset_20260801'
        ? {}
        : { ...screen, ...(version === '20251124' && { enableZoom: true }) },
    fits: ({ input }) => typeof fieldOf(input, 'action') === 'string',
  };
}

const OPENAI =
  /^gpt-5\.4(?:-mini)?(?:-\d|$)|^gpt-5\.5(?:-\d|$)|^gpt-(?:5\.6|6|6\.1)-(?:sol|terra|astra)/;

function openaiComputer(modelId: string): NativeTool | undefined {
  if (!OPENAI.test(modelId)) return undefined;
  return {
    id: 'openai.computer',
    args: {},
    // An item without its ID is not the provider's own.
    fits: ({ input, providerOptions }) =>
      Array.isArray(fieldOf(input, 'actions')) &&
      typeof providerOptions?.['openai']?.['itemId'] === 'string',
    result: screenshotResult,
  };
}

/** A minimal image, because the service rejects results without one. */
const NO_PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC';

/**
 * OpenAI's results are an image only. Its safety checks are acknowledged; the tool has not done what they warn about.
 */
function screenshotResult(call: Call, output: Output): { output: Output; note?: string } {
  const { picture, text } = partsOf(output);
  const checks = fieldOf(call.input, 'pendingSafetyChecks');
  const value: JSONValue = {
    output: { type: 'computer_screenshot', imageUrl: picture, detail: 'original' },
    ...(Array.isArray(checks) &&
      checks.length > 0 && { acknowledgedSafetyChecks: checks as JSONValue }),
  };
  return { output: { type: 'json', value }, ...(text !== '' && { note: text }) };
}

function partsOf(output: Output): { picture: string; text: string } {
  let picture = `data:image/png;base64,${NO_PICTURE}`;
  const texts: string[] = [];
  if (output.type === 'content') {
    for (const part of output.value) {
      if (part.type === 'text') texts.push(part.text);
      if (part.type !== 'file' || part.data.type !== 'data') continue;
      const { data } = part.data;
      const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
      picture = `data:${part.mediaType};base64,${base64}`;
    }
  } else if (output.type === 'text' || output.type === 'error-text') texts.push(output.value);
  else if (output.type === 'json' || output.type === 'error-json')
    texts.push(JSON.stringify(output.value));
  return { picture, text: texts.join('\n') };
}

function fieldOf(input: unknown, field: string): unknown {
  return typeof input === 'object' && input !== null
    ? (input as Readonly<Record<string, unknown>>)[field]
    : undefined;
}
