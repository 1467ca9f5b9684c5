import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { commonPrefix } from '../common-prefix.ts';
import type { HistoryMessage } from '../history/message.ts';
import { isSummary } from '../history/turn-progress.ts';
import type { ToolNames } from '../tools/names.ts';
import { Arrangement } from './arrange.ts';
import type { Conversion } from './conversion.ts';
import { convertMessage } from './convert-message.ts';
import { type MessageFiles, PromptFiles } from './prompt-files.ts';
import { promptView } from './view.ts';

/** A converted history. */
interface Converted {
  /** Everything that the conversion depends on, except the names of tools and the files. */
  readonly key: string;
  /** The provider's names of the tools in the history. */
  readonly toolNames: Map<string, string>;
  readonly arrangement: Arrangement;
  readonly history: readonly HistoryMessage[];
  /** The part visible to the model. */
  readonly seen: readonly HistoryMessage[];
  readonly summarized: boolean;
  readonly messages: readonly LanguageModelV4Message[];
  /** Number of converted messages before each visible one. */
  readonly offsets: readonly number[];
}

/**
 * Converted histories by their first message, for the next turn of the chat. Histories with files are left out, because
 * files are large.
 */
const recent = new WeakMap<HistoryMessage, Converted>();

/** Builds each prompt from the previous one, also of an earlier turn, and converts only new messages. */
export class PromptBuilder {
  readonly #to: Conversion;
  readonly #files: PromptFiles;
  #converted: Converted;

  constructor(to: Conversion) {
    const toolNames = new Map<string, string>();
    const names = { ...to.names, toProvider: remembering(to.names, toolNames) };
    this.#to = { ...to, names };
    this.#files = new PromptFiles(to);
    this.#converted = {
      key: keyOf(to),
      toolNames,
      arrangement: new Arrangement(),
      history: [],
      seen: [],
      summarized: false,
      messages: [],
      offsets: [],
    };
  }

  /** Reused as long as the beginning of the prompt stays the same. */
  get arrangement(): Arrangement {
    return this.#converted.arrangement;
  }

  /** Without the system prompt. The caller owns the array, but not its messages. */
  async build(given: readonly HistoryMessage[]): Promise<LanguageModelV4Prompt> {
    // A copy, because the owner of the history may append to the given array.
    const history = given.slice();
    const before = this.#before(history[0]);
    const same = commonPrefix(before.history, history);
    const summarized = before.summarized || hasSummary(history, same);
    const view = summarized ? promptView(history) : history;
    const { files, unchanged: kept } = await this.#files.select(
      view,
      summarized ? commonPrefix(before.seen, view) : same,
    );
    const messages = before.messages.slice(0, before.offsets[kept]);
    const offsets = before.offsets.slice(0, kept);
    for (let index = kept; index < view.length; index++) {
      const message = view[index];
      if (message === undefined) break;
      const converted = convertMessage(message, this.#to, files.get(index) ?? NO_FILES);
      offsets.push(messages.length);
      messages.push(...converted);
    }
    this.#converted = { ...before, history, seen: view, summarized, messages, offsets };
    this.#remember(history[0]);
    return messages.slice();
  }

  /** The previous prompt: of this turn, or of an earlier one with the same conversion. */
  #before(first: HistoryMessage | undefined): Converted {
    const own = this.#converted;
    const earlier = first && own.history.length === 0 ? recent.get(first) : undefined;
    if (earlier?.key !== own.key || !hasSameNames(earlier, this.#to)) return own;
    return { ...earlier, toolNames: own.toolNames };
  }

  #remember(first: HistoryMessage | undefined): void {
    if (first === undefined) return;
    if (this.#files.isEmpty) recent.set(first, this.#converted);
    else recent.delete(first);
  }
}

const remembering =
  (names: ToolNames, used: Map<string, string>): ToolNames['toProvider'] =>
  (name) => {
    const known = used.get(name) ?? names.toProvider(name);
    used.set(name, known);
    return known;
  };

const keyOf = ({ family, provider, model, stored, chained, fidelity }: Conversion): string =>
  JSON.stringify([family, provider, model, stored, chained, fidelity]);

/** Looking the names up also adds them to those of `to`. */
const hasSameNames = ({ toolNames }: Converted, to: Conversion): boolean =>
  [...toolNames].every(([name, used]) => to.names.toProvider(name) === used);

const NO_FILES: MessageFiles = new Map();

function hasSummary(messages: readonly HistoryMessage[], from: number): boolean {
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && isSummary(message)) return true;
  }
  return false;
}
