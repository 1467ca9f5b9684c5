import type {
  LanguageModelV4Citation,
  LanguageModelV4FinishReason,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { TypeValidationError } from '@ai-sdk/provider';
import type { Part, SourcePart } from '@chatd/protocol';
import { cleanJson, cleanText } from '../clean-text.ts';
import type { Clock } from '@chatd/protocol/clock';
import { isoTime } from '../iso-time.ts';
import { FileRefused } from '../files.ts';
import type {
  HistoryFile,
  HistoryPart,
  HistoryReasoning,
  HistoryText,
} from '../history/message.ts';
import type { Publish } from '../live-parts.ts';
import { refusedNote } from '../media/notes.ts';
import type { MediaFile } from '../tools/media.ts';
import { publicResult } from '../public-result.ts';
import type { ToolNames } from '../tools/names.ts';
import { CallBlocks, readArgs } from './call-blocks.ts';

export interface Finish {
  reason: LanguageModelV4FinishReason;
  usage: LanguageModelV4Usage;
  metadata: SharedV4ProviderMetadata | undefined;
}

interface PendingFile {
  part: HistoryFile;
  data: Uint8Array;
}

interface ResponseContext {
  clock: Clock;
  publish: Publish;
  names: ToolNames;
  /** IDs of the calls before this response. */
  usedCallIds: () => ReadonlySet<string>;
}

/** Blocks that repeat other parts of the response and that their provider does not take back. */
const ANNOUNCEMENTS: ReadonlySet<string> = new Set(['anthropic.message_start']);

/** A response while it streams, with its parts in starting order. */
export class ModelResponse {
  readonly #context: ResponseContext;
  readonly #content: HistoryPart[] = [];
  readonly #texts = new Map<string, HistoryText>();
  readonly #reasonings = new Map<string, HistoryReasoning>();
  readonly #calls: CallBlocks;
  readonly #files: PendingFile[] = [];
  finish: Finish | undefined;
  /** The first error that the stream itself reported. */
  error: { cause: unknown } | undefined;
  id: string | undefined;

  constructor(context: ResponseContext) {
    this.#context = context;
    this.#calls = new CallBlocks(context.usedCallIds);
  }

  /** Called for every part of every stream: the common cases come first and do little. */
  add(part: LanguageModelV4StreamPart): void {
    if (part.type === 'text-delta') {
      const block = this.#texts.get(part.id) ?? this.#openText(part.id);
      block.text += part.delta;
      if (part.providerMetadata) mergeMetadata(block, part.providerMetadata);
      if (part.delta !== '') this.#publish({ type: 'text', text: part.delta });
    } else if (part.type === 'reasoning-delta') {
      const block = this.#reasonings.get(part.id) ?? this.#openReasoning(part.id);
      block.text += part.delta;
      // The signature arrives on a delta without text.
      if (part.providerMetadata) mergeMetadata(block, part.providerMetadata);
      if (part.delta !== '') this.#publish({ type: 'reasoning', text: part.delta });
    } else if (part.type === 'tool-input-delta') {
      this.#addArgs(part.id, part.delta);
    } else {
      this.#addRare(part);
    }
  }

  #addArgs(id: string, delta: string): void {
    const block = this.#calls.get(id);
    if (block === undefined) return;
    block.raw += delta;
    const { tool_call_id, tool_name, provider_executed } = block.part;
    this.#publish({
      type: 'tool-call',
      tool_call_id,
      tool_name,
      args_delta: delta,
      ...(provider_executed && { provider_executed }),
    });
  }

  #addRare(part: Exclude<LanguageModelV4StreamPart, { delta: string }>): void {
    switch (part.type) {
      case 'text-start':
        mergeMetadata(this.#openText(part.id), part.providerMetadata);
        break;
      case 'text-end': {
        const block = this.#texts.get(part.id);
        if (block) mergeMetadata(block, part.providerMetadata);
        this.#texts.delete(part.id);
        this.#addCitations(part.citations ?? []);
        break;
      }
      case 'reasoning-start':
        mergeMetadata(this.#openReasoning(part.id), part.providerMetadata);
        break;
      case 'reasoning-end':
        this.#closeReasoning(part.id, part.providerMetadata);
        break;
      case 'tool-input-start': {
        const name = this.#context.names.fromProvider(part.toolName);
        const block = this.#calls.open(part.id, name, part.providerExecuted === true);
        mergeMetadata(block.part, part.providerMetadata);
        this.#content.push(block.part);
        break;
      }
      case 'tool-call':
        this.#addCall(part);
        break;
      case 'tool-result':
        this.#addResult(part);
        break;
      case 'source':
        this.#addSource(part);
        break;
      case 'file':
      case 'reasoning-file':
        this.#addFile(part);
        break;
      case 'custom': {
        if (ANNOUNCEMENTS.has(part.kind)) break;
        const block: HistoryText = { type: 'text', text: '', custom_kind: part.kind };
        mergeMetadata(block, part.providerMetadata);
        this.#content.push(block);
        break;
      }
      case 'response-metadata':
        this.id = part.id ?? this.id;
        break;
      case 'finish':
        this.finish = {
          reason: part.finishReason,
          usage: part.usage,
          metadata: part.providerMetadata,
        };
        break;
      case 'error':
        // An event that the package does not know must not fail the response.
        if (!TypeValidationError.isInstance(part.error)) this.error ??= { cause: part.error };
        break;
      case 'tool-input-end':
      case 'tool-approval-request':
      case 'stream-start':
      case 'ping':
      case 'raw':
        break;
    }
  }

  /** All parts so far, including incomplete ones, without empty ones. */
  async content(save: (file: MediaFile) => Promise<string>): Promise<HistoryPart[]> {
    const now = isoTime(this.#context.clock.now());
    for (const block of this.#reasonings.values()) block.completed_at ??= now;
    for (const block of this.#calls.all) {
      if (block.complete) continue;
      Object.assign(block.part, readArgs(block.raw), { created_at: now, incomplete: true });
    }
    for (const { part, data } of this.#files.splice(0)) {
      await this.#saveFile(part, data, save);
    }
    return this.#content.filter(hasSubstance).map(cleaned);
  }

  async #saveFile(
    part: HistoryFile,
    data: Uint8Array,
    save: (file: MediaFile) => Promise<string>,
  ): Promise<void> {
    const { type, media_type } = part;
    try {
      part.file_id = await save({ data, media_type });
      this.#publish({ type, file_id: part.file_id, media_type });
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      const note = { type: 'text' as const, text: refusedNote(media_type, error.message) };
      this.#content[this.#content.indexOf(part)] = note;
      this.#publish(note);
    }
  }

  #openText(id: string): HistoryText {
    const block: HistoryText = { type: 'text', text: '' };
    this.#texts.set(id, block);
    this.#content.push(block);
    return block;
  }

  #openReasoning(id: string): HistoryReasoning {
    const created_at = isoTime(this.#context.clock.now());
    const block: HistoryReasoning = { type: 'reasoning', text: '', created_at };
    this.#reasonings.set(id, block);
    this.#content.push(block);
    this.#publish({ type: 'reasoning', text: '', created_at });
    return block;
  }

  #closeReasoning(id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const block = this.#reasonings.get(id);
    if (block === undefined) return;
    mergeMetadata(block, metadata);
    block.completed_at = isoTime(this.#context.clock.now());
    this.#reasonings.delete(id);
    this.#publish({ type: 'reasoning', text: '', completed_at: block.completed_at });
  }

  #addCall(call: LanguageModelV4ToolCall): void {
    let block = this.#calls.get(call.toolCallId);
    if (block === undefined || block.complete) {
      const name = this.#context.names.fromProvider(call.toolName);
      block = this.#calls.open(call.toolCallId, name, call.providerExecuted === true);
      this.#content.push(block.part);
    }
    block.complete = true;
    const { part } = block;
    if (call.providerExecuted === true) part.provider_executed = true;
    part.created_at = isoTime(this.#context.clock.now());
    Object.assign(part, readArgs(call.input));
    mergeMetadata(part, call.providerMetadata);
    const { provider_metadata: _, raw_args: __, ...shown } = part;
    this.#publish(shown);
  }

  #addResult(result: LanguageModelV4ToolResult): void {
    if (result.preliminary === true) return;
    const call = this.#calls.get(result.toolCallId)?.part;
    const part = {
      type: 'tool-result' as const,
      tool_call_id: call?.tool_call_id ?? result.toolCallId,
      tool_name: this.#context.names.fromProvider(result.toolName),
      result: cleanJson(result.result),
      provider_executed: true,
      created_at: isoTime(this.#context.clock.now()),
      ...(result.isError === true && { is_error: true }),
    };
    this.#publish({ ...part, result: publicResult(part.result) });
    this.#content.push(
      result.providerMetadata ? { ...part, provider_metadata: result.providerMetadata } : part,
    );
  }

  #addSource(source: LanguageModelV4Source): void {
    const part = sourcePart(source);
    this.#publish(part);
    this.#content.push(
      source.providerMetadata ? { ...part, provider_metadata: source.providerMetadata } : part,
    );
  }

  /** Each source once per text, regardless of how many passages cite it. The text keeps the metadata. */
  #addCitations(citations: readonly LanguageModelV4Citation[]): void {
    const cited = citations.map(({ source }) => ({ ...sourcePart(source), cited: true }));
    for (const part of new Map(cited.map((each) => [each.url, each])).values()) {
      this.#publish(part);
      this.#content.push(part);
    }
  }

  #addFile(file: Extract<LanguageModelV4StreamPart, { type: 'file' | 'reasoning-file' }>): void {
    // A link to the provider's storage expires, so only inline data is kept.
    if (file.data.type !== 'data') return;
    const { data } = file.data;
    const part: HistoryFile = { type: 'file', file_id: '', media_type: file.mediaType };
    if (file.type === 'reasoning-file') part.of_reasoning = true;
    mergeMetadata(part, file.providerMetadata);
    this.#content.push(part);
    this.#files.push({ part, data: typeof data === 'string' ? Buffer.from(data, 'base64') : data });
  }

  #publish(part: Part): void {
    this.#context.publish({ type: 'part', role: 'assistant', part });
  }
}

function sourcePart(source: LanguageModelV4Source): SourcePart {
  const url =
    source.sourceType === 'url'
      ? cleanText(source.url)
      : `document:${encodeURIComponent(source.filename ?? source.id)}`;
  return {
    type: 'source',
    source_id: source.id,
    url,
    ...(source.title !== undefined && { title: cleanText(source.title) }),
  };
}

/** Later values override earlier ones, key by key. */
function mergeMetadata(
  block: { provider_metadata?: SharedV4ProviderMetadata },
  metadata: SharedV4ProviderMetadata | undefined,
): void {
  if (metadata === undefined) return;
  const merged = { ...block.provider_metadata };
  for (const [name, values] of Object.entries(metadata)) {
    merged[name] = { ...merged[name], ...values };
  }
  block.provider_metadata = merged;
}

function hasSubstance(part: HistoryPart): boolean {
  if (part.type === 'text') return part.text !== '' || part.custom_kind !== undefined;
  if (part.type === 'reasoning') return part.text !== '' || part.provider_metadata !== undefined;
  return true;
}

/** Arguments and results are already clean. */
function cleaned(part: HistoryPart): HistoryPart {
  if ('provider_metadata' in part && part.provider_metadata !== undefined) {
    part.provider_metadata = cleanJson(part.provider_metadata) as SharedV4ProviderMetadata;
  }
  if (part.type === 'text' || part.type === 'reasoning') part.text = cleanText(part.text);
  return part;
}
