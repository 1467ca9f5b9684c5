import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { HistoryMessage } from '../history/message.ts';
import { isSummary } from '../history/turn-progress.ts';
import type { Conversion } from './conversion.ts';
import { convertMessage } from './convert-message.ts';
import { type MessageFiles, PromptFiles } from './prompt-files.ts';
import { promptView } from './view.ts';

/** Builds the prompt of each step from the previous one and converts only new messages. */
export class PromptBuilder {
  readonly #to: Conversion;
  readonly #files: PromptFiles;
  /** The history of the last prompt, and the part visible to the model. */
  #history: readonly HistoryMessage[] = [];
  #seen: readonly HistoryMessage[] = [];
  #summarized = false;
  #converted: LanguageModelV4Message[] = [];
  /** Number of converted messages before each visible one. */
  #offsets: number[] = [];

  constructor(to: Conversion) {
    this.#to = to;
    this.#files = new PromptFiles(to);
  }

  /** Without the system prompt. The caller owns the array, but not its messages. */
  async build(given: readonly HistoryMessage[]): Promise<LanguageModelV4Prompt> {
    // A copy, because the owner of the history may append to the given array.
    const history = given.slice();
    const same = commonPrefix(this.#history, history);
    const summarized = this.#summarized || hasSummary(history, same);
    const view = summarized ? promptView(history) : history;
    const { files, unchanged: kept } = await this.#files.select(
      view,
      summarized ? commonPrefix(this.#seen, view) : same,
    );
    this.#converted.length = this.#offsets[kept] ?? this.#converted.length;
    this.#offsets.length = kept;
    for (let index = kept; index < view.length; index++) {
      const message = view[index];
      if (message === undefined) break;
      const converted = convertMessage(message, this.#to, files.get(index) ?? NO_FILES);
      this.#offsets.push(this.#converted.length);
      this.#converted.push(...converted);
    }
    this.#history = history;
    this.#seen = view;
    this.#summarized = summarized;
    return this.#converted.slice();
  }
}

const NO_FILES: MessageFiles = new Map();

function hasSummary(messages: readonly HistoryMessage[], from: number): boolean {
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && isSummary(message)) return true;
  }
  return false;
}

function commonPrefix(a: readonly unknown[], b: readonly unknown[]): number {
  const length = Math.min(a.length, b.length);
  let index = 0;
  while (index < length && a[index] === b[index]) index++;
  return index;
}
