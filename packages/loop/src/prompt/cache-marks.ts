import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { CacheMark } from '../providers/cache-mark.ts';

/** How many blocks the provider looks back from a mark for cached content. */
const LOOK_BACK = 20;

const blocksOf = (message: LanguageModelV4Message): number =>
  typeof message.content === 'string' ? 1 : message.content.length;

function withOptions<T extends { providerOptions?: SharedV4ProviderOptions }>(
  of: T,
  added: SharedV4ProviderOptions,
): T {
  const providerOptions = { ...of.providerOptions };
  for (const [name, options] of Object.entries(added)) {
    providerOptions[name] = { ...providerOptions[name], ...options };
  }
  return { ...of, providerOptions };
}

function marked(message: LanguageModelV4Message, mark: CacheMark): LanguageModelV4Message {
  const last = message.role === 'tool' ? message.content.at(-1) : undefined;
  if (!mark.onLastResult || message.role !== 'tool' || last?.type !== 'tool-result') {
    return withOptions(message, mark.options);
  }
  return {
    ...message,
    content: [...message.content.slice(0, -1), withOptions(last, mark.options)],
  };
}

/**
 * Cache marks for Anthropic's models: on the last system message and the final two messages. If the last step added
 * more blocks than the provider looks back, the end of the previous prompt is marked too, where the cached content
 * ends. At most four; the given messages are not modified.
 */
export function markCache(prompt: LanguageModelV4Prompt, mark: CacheMark): LanguageModelV4Prompt {
  const copy = prompt.slice();
  for (const index of markedIndexes(prompt)) {
    const message = prompt[index];
    if (message !== undefined) copy[index] = marked(message, mark);
  }
  return copy;
}

function markedIndexes(prompt: LanguageModelV4Prompt): Set<number> {
  // System messages come first; the history after them may be long.
  const lastSystem = prompt.findIndex((message) => message.role !== 'system') - 1;
  const marks = new Set([lastSystem, prompt.length - 2, prompt.length - 1]);
  const previousEnd = prompt.findLastIndex((message) => message.role === 'assistant') - 1;
  let added = 0;
  for (let index = previousEnd + 1; index < prompt.length; index++) {
    const message = prompt[index];
    added += message === undefined ? 0 : blocksOf(message);
  }
  if (previousEnd > 0 && added > LOOK_BACK) marks.add(previousEnd);
  return marks;
}
