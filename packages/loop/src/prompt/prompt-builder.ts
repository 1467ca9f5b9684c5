import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { HistoryMessage } from '../history/message.ts';
import type { Conversion } from './conversion.ts';
import { convertMessage } from './convert-message.ts';
import { promptView } from './view.ts';

/**
 * Builds the prompt of each step from the one before: messages that stay are not looked at again,
 * only what is new is converted.
 */
export class PromptBuilder {
  readonly #to: Conversion;
  #seen: readonly HistoryMessage[] = [];
  #converted: LanguageModelV4Message[] = [];
  /** How many converted messages there were before each seen one. */
  #offsets: number[] = [];

  constructor(to: Conversion) {
    this.#to = to;
  }

  /** Without the system prompt. The array is the caller's, the messages in it are not. */
  async build(messages: readonly HistoryMessage[]): Promise<LanguageModelV4Prompt> {
    const view = promptView(messages);
    const kept = commonPrefix(this.#seen, view);
    this.#converted.length = this.#offsets[kept] ?? this.#converted.length;
    this.#offsets.length = kept;
    for (let index = kept; index < view.length; index++) {
      const message = view[index];
      if (message === undefined) break;
      const result = convertMessage(message, this.#to);
      const converted = result instanceof Promise ? await result : result;
      this.#offsets.push(this.#converted.length);
      this.#converted.push(...converted);
    }
    // A copy: whoever holds the history may go on adding to the array that was given.
    this.#seen = view.slice();
    return this.#converted.slice();
  }
}

function commonPrefix(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a[index] === b[index]) index++;
  return index;
}
