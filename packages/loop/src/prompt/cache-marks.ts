import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';

/** The provider looks this many blocks back from a mark for what it has cached. */
const LOOK_BACK = 20;

const blocksOf = (message: LanguageModelV4Message): number =>
  typeof message.content === 'string' ? 1 : message.content.length;

const marked = (message: LanguageModelV4Message): LanguageModelV4Message => ({
  ...message,
  providerOptions: {
    ...message.providerOptions,
    anthropic: { ...message.providerOptions?.['anthropic'], cacheControl: { type: 'ephemeral' } },
  },
});

/**
 * Anthropic's cache marks: on the last system message and the final two. When the last step added more
 * blocks than the provider looks back, the message where the previous prompt ended is marked too:
 * what was cached then ends exactly there. Four at most; the given messages stay as they are.
 */
export function markCache(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const copy = prompt.slice();
  for (const index of markedIndexes(prompt)) {
    const message = prompt[index];
    if (message !== undefined) copy[index] = marked(message);
  }
  return copy;
}

function markedIndexes(prompt: LanguageModelV4Prompt): Set<number> {
  // System messages stand first; the history behind them may be long.
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
