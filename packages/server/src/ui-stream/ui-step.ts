import { DENIED_RESULT } from '@chatd/loop';
import {
  API_PREFIX,
  type Message,
  type Part,
  type SourcePart,
  type ToolResultPart,
} from '@chatd/protocol';
import type { UiChunk } from './chunk.ts';

export const fileUrl = (fileId: string): string => `${API_PREFIX}/files/${fileId}`;

type Spoken = 'text' | 'reasoning';

/** One step of a turn as chunks: the response, its tool calls and their results. */
export class UiStep {
  readonly #number: number;
  readonly #isKnown: (toolName: string) => boolean;
  /** The response as far as it was sent. */
  #shown: Part[] = [];
  #open: { readonly type: Spoken; readonly id: string } | undefined;
  #spoken = 0;
  readonly #begun = new Set<string>();
  readonly #complete = new Set<string>();
  readonly #output = new Map<string, string>();
  readonly #answered = new Set<string>();
  /** URLs of the sources that the client has. */
  readonly #sources = new Set<string>();
  /** The response is committed. */
  committed = false;

  constructor(number: number, isKnown: (toolName: string) => boolean) {
    this.#number = number;
    this.#isKnown = isKnown;
  }

  /** A live part of the response, or output of one of its tools. */
  live(part: Part): UiChunk[] {
    if (part.type === 'tool-result') return this.#result(part);
    this.#remember(part);
    return this.#say(part);
  }

  /** The live parts of the response are void. */
  void(): UiChunk[] {
    this.#forget();
    return [{ type: 'reset-step' }];
  }

  /** The committed response. If the live parts are its beginning, only the rest is sent. */
  commit({ content }: Message): UiChunk[] {
    this.committed = true;
    const rest = restOf(this.#shown, content);
    if (rest !== undefined) return [...rest.flatMap((part) => this.#part(part)), ...this.#close()];
    this.#forget();
    const whole = content.flatMap((part) => this.#part(part));
    return [{ type: 'reset-step' }, ...whole, ...this.#close()];
  }

  /** The committed results of its calls. */
  results({ content }: Message): UiChunk[] {
    return content.flatMap((part) => (part.type === 'tool-result' ? this.#result(part) : []));
  }

  #part(part: Part): UiChunk[] {
    return part.type === 'tool-result' ? this.#result(part) : this.#say(part);
  }

  #say(part: Part): UiChunk[] {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return part.text === '' ? [] : this.#speak(part.type, part.text);
      case 'tool-call':
        return [...this.#close(), ...this.#call(part)];
      case 'source':
        return this.#source(part);
      case 'file':
        return [
          ...this.#close(),
          { type: 'file', url: fileUrl(part.file_id), mediaType: part.media_type },
        ];
      case 'tool-result':
      case 'file-reference':
        return [];
    }
  }

  /** Text continues after a source that it cites, and stays one text part. */
  #source({ source_id: sourceId, url, title }: SourcePart): UiChunk[] {
    if (this.#sources.has(url)) return [];
    this.#sources.add(url);
    return [{ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }];
  }

  #speak(type: Spoken, delta: string): UiChunk[] {
    const chunks: UiChunk[] = [];
    if (this.#open?.type !== type) {
      chunks.push(...this.#close());
      this.#spoken += 1;
      this.#open = { type, id: `${this.#number}.${this.#spoken}` };
      chunks.push({ type: `${type}-start`, id: this.#open.id });
    }
    chunks.push({ type: `${type}-delta`, id: this.#open.id, delta });
    return chunks;
  }

  #close(): UiChunk[] {
    if (this.#open === undefined) return [];
    const { type, id } = this.#open;
    this.#open = undefined;
    return [{ type: `${type}-end`, id }];
  }

  #call(part: Part & { type: 'tool-call' }): UiChunk[] {
    const { tool_call_id: toolCallId, tool_name: toolName, args, args_delta } = part;
    if (this.#complete.has(toolCallId)) return [];
    const called = {
      toolCallId,
      toolName,
      ...(!this.#isKnown(toolName) && { dynamic: true as const }),
      ...(part.provider_executed === true && { providerExecuted: true as const }),
    };
    const chunks: UiChunk[] = [];
    if (!this.#begun.has(toolCallId)) {
      this.#begun.add(toolCallId);
      chunks.push({ type: 'tool-input-start', ...called });
    }
    if (args_delta !== undefined && args_delta !== '') {
      chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta: args_delta });
    }
    if (args !== undefined) {
      this.#complete.add(toolCallId);
      chunks.push({ type: 'tool-input-available', input: args, ...called });
    }
    return chunks;
  }

  #result(part: ToolResultPart): UiChunk[] {
    const { tool_call_id: toolCallId, result, result_delta, is_error } = part;
    if (this.#answered.has(toolCallId)) return [];
    const by = part.provider_executed === true ? { providerExecuted: true as const } : {};
    if (result === undefined) {
      if (result_delta === undefined) return [];
      const output = `${this.#output.get(toolCallId) ?? ''}${result_delta}`;
      this.#output.set(toolCallId, output);
      return [{ type: 'tool-output-available', toolCallId, output, preliminary: true, ...by }];
    }
    this.#answered.add(toolCallId);
    if (is_error !== true) {
      return [{ type: 'tool-output-available', toolCallId, output: result, ...by }];
    }
    const errorText = typeof result === 'string' ? result : JSON.stringify(result);
    if (errorText.startsWith(DENIED_RESULT)) return [{ type: 'tool-output-denied', toolCallId }];
    return [{ type: 'tool-output-error', toolCallId, errorText, ...by }];
  }

  #remember(part: Part): void {
    if (isEmptyText(part)) return;
    const last = this.#shown.at(-1);
    const joined = last && joinedPart(last, part);
    if (joined === undefined) this.#shown.push(part);
    else this.#shown[this.#shown.length - 1] = joined;
  }

  #forget(): void {
    this.#shown = [];
    this.#open = undefined;
    for (const ids of [this.#begun, this.#complete, this.#answered, this.#sources]) ids.clear();
    this.#output.clear();
  }
}

function joinedPart(last: Part, part: Part): Part | undefined {
  if (last.type === 'text' && part.type === 'text') {
    return { ...last, text: last.text + part.text };
  }
  if (last.type === 'reasoning' && part.type === 'reasoning') {
    return { ...last, text: last.text + part.text };
  }
  if (last.type === 'tool-call' && part.type === 'tool-call') {
    return last.tool_call_id === part.tool_call_id ? { ...last, ...part } : undefined;
  }
  return undefined;
}

/** The rest of a response after the part that was sent. Undefined: something else was sent. */
function restOf(shown: readonly Part[], content: readonly Part[]): Part[] | undefined {
  const rest: Part[] = [];
  let index = -1;
  for (const part of joinedContent(content)) {
    // Results are not part of it. A result that the client has is not sent again.
    if (part.type === 'tool-result') {
      rest.push(part);
      continue;
    }
    index += 1;
    const before = shown[index];
    if (before === undefined) {
      rest.push(part);
      continue;
    }
    const left = leftOf(before, part);
    if (left === undefined) return undefined;
    // Only the last part can be unfinished.
    if (left !== null && index < shown.length - 1) return undefined;
    if (left !== null) rest.push(left);
  }
  return shown.length > index + 1 ? undefined : rest;
}

const isEmptyText = (part: Part): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && part.text === '';

/** Merges adjacent texts, as `#remember` merges their deltas, and drops empty ones. */
function joinedContent(content: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of content) {
    if (isEmptyText(part)) continue;
    const last = joined.at(-1);
    const both = last && joinedPart(last, part);
    if (both === undefined) joined.push(part);
    else joined[joined.length - 1] = both;
  }
  return joined;
}

/** Null: all of it was sent. */
function leftOf(shown: Part, part: Part): Part | null | undefined {
  if (shown.type !== part.type) return undefined;
  if (
    (shown.type === 'text' && part.type === 'text') ||
    (shown.type === 'reasoning' && part.type === 'reasoning')
  ) {
    if (!part.text.startsWith(shown.text)) return undefined;
    const text = part.text.slice(shown.text.length);
    return text === '' ? null : { ...part, text };
  }
  if (shown.type === 'tool-call' && part.type === 'tool-call') {
    if (shown.tool_call_id !== part.tool_call_id) return undefined;
    return shown.args === undefined ? part : null;
  }
  if (shown.type === 'source' && part.type === 'source') {
    return shown.source_id === part.source_id ? null : undefined;
  }
  if (shown.type === 'file' && part.type === 'file') {
    return shown.file_id === part.file_id ? null : undefined;
  }
  return JSON.stringify(shown) === JSON.stringify(part) ? null : undefined;
}
