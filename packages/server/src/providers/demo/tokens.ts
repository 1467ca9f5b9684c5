import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

/** The context size that the demo model reports. */
export const CONTEXT_LIMIT = 200_000;
const FULL = Math.round(CONTEXT_LIMIT * 0.99);

const CHARACTERS_A_TOKEN = 4;
/** Approximate tokens that providers count for an image. */
const TOKENS_A_FILE = 1_000;

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_A_TOKEN);

function tokensOfMessage({ content }: LanguageModelV4Message): number {
  if (typeof content === 'string') return tokensOf(content);
  return content.reduce((sum, part) => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return sum + tokensOf(part.text);
      case 'tool-call':
        return sum + tokensOf(JSON.stringify(part.input));
      case 'tool-result':
        return sum + tokensOf(JSON.stringify('value' in part.output ? part.output.value : ''));
      case 'file':
      case 'reasoning-file':
        return sum + TOKENS_A_FILE;
      case 'custom':
      case 'tool-approval-response':
        return sum;
    }
  }, 4);
}

const sum = (messages: readonly LanguageModelV4Message[]): number =>
  messages.reduce((tokens, message) => tokens + tokensOfMessage(message), 0);

interface Spoken {
  text: string;
  reasoning: string;
  fillsContext: boolean;
}

/** Token usage as a provider would report it: everything from earlier calls counts as cached. */
export function usageOf(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  spoken: Spoken,
): LanguageModelV4Usage {
  const answered = prompt.findLastIndex((message) => message.role === 'assistant');
  const definitions = tokensOf(JSON.stringify(tools));
  const cacheRead = answered <= 0 ? 0 : sum(prompt.slice(0, answered)) + definitions;
  const fresh = sum(prompt.slice(Math.max(0, answered))) + (cacheRead === 0 ? definitions : 0);
  const noCache = spoken.fillsContext ? Math.max(fresh, FULL - cacheRead) : fresh;
  const text = tokensOf(spoken.text);
  const reasoning = tokensOf(spoken.reasoning);
  return {
    inputTokens: { total: noCache + cacheRead, noCache, cacheRead, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
  };
}
