import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { inspectMedia } from './inspect.ts';
import type { MediaLimits } from './limits.ts';
import { hiddenNote, supersededNote } from './notes.ts';

type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];
type ToolOutput = Extract<ToolPart, { type: 'tool-result' }>['output'];
type ResultFile = Extract<
  Extract<ToolOutput, { type: 'content' }>['value'][number],
  { type: 'file' }
>;
type MessagePart = Exclude<LanguageModelV4Message, { role: 'system' }>['content'][number];
type FilePart = ResultFile | Extract<MessagePart, { type: 'file' | 'reasoning-file' }>;

/** Old files go in blocks of this share of a limit: between two blocks the provider's cache goes on to fit. */
const BLOCK = 1 / 4;

/**
 * The prompt with as many files as one request may hold. The newest stay; notes stand in place of the others. Each file
 * on its own is within the limits.
 */
export function limitPromptMedia(
  prompt: LanguageModelV4Prompt,
  limits: MediaLimits,
): LanguageModelV4Prompt {
  const notes = notesFor(filesIn(prompt), limits);
  return notes.size === 0 ? prompt : prompt.map((message) => withNotes(message, notes));
}

function notesFor(files: readonly FilePart[], limits: MediaLimits): Map<FilePart, string> {
  const notes = new Map<FilePart, string>();
  const drop = (among: readonly FilePart[], weight: (file: FilePart) => number, limit: number) => {
    for (const file of among.slice(0, overflow(among.map(weight), limit))) {
      notes.set(file, supersededNote(nameOf(file)));
    }
  };
  const left = (filter: (file: FilePart) => boolean) =>
    files.filter((file) => !notes.has(file) && filter(file));
  drop(left(isImage), () => 1, limits.images);
  drop(left(isDocument), () => 1, limits.documents);
  drop(
    left(() => true),
    bytesOf,
    limits.totalBytes,
  );
  const images = left(isImage);
  const { over, side } = limits.manyImages ?? { over: Infinity, side: 0 };
  if (images.length > over) {
    for (const file of images.filter((image) => sideOf(image) > side)) {
      const reason = `with more than ${over} images, the limit is ${side} pixels`;
      notes.set(file, hiddenNote({ media_type: file.mediaType, name: nameOf(file) }, reason));
    }
  }
  return notes;
}

/** How many of the oldest have to go. */
function overflow(weights: readonly number[], limit: number): number {
  const excess = weights.reduce((sum, weight) => sum + weight, 0) - limit;
  if (excess <= 0) return 0;
  const block = Math.max(1, limit * BLOCK);
  const wanted = Math.ceil(excess / block) * block;
  let gone = 0;
  const kept = weights.findIndex((weight) => {
    if (gone >= excess && gone + weight > wanted) return true;
    gone += weight;
    return false;
  });
  return kept < 0 ? weights.length : kept;
}

const nameOf = (file: FilePart): string | undefined =>
  file.type === 'file' ? file.filename : undefined;
const isImage = ({ mediaType }: FilePart): boolean => mediaType.startsWith('image/');
const isDocument = ({ mediaType }: FilePart): boolean => mediaType.startsWith('application/');
const dataOf = ({ data }: FilePart): Uint8Array | undefined =>
  data.type === 'data' && typeof data.data !== 'string' ? data.data : undefined;
const bytesOf = (file: FilePart): number => dataOf(file)?.length ?? 0;

function sideOf(file: FilePart): number {
  const { width = 0, height = 0 } = inspectMedia(dataOf(file) ?? new Uint8Array())?.size ?? {};
  return Math.max(width, height);
}

function filesIn(prompt: LanguageModelV4Prompt): FilePart[] {
  const files: FilePart[] = [];
  for (const message of prompt) {
    if (message.role === 'system') continue;
    for (const part of message.content) {
      if (part.type === 'file' || part.type === 'reasoning-file') files.push(part);
      if (part.type !== 'tool-result' || part.output.type !== 'content') continue;
      for (const one of part.output.value) if (one.type === 'file') files.push(one);
    }
  }
  return files;
}

function withNotes(
  message: LanguageModelV4Message,
  notes: ReadonlyMap<FilePart, string>,
): LanguageModelV4Message {
  const noted = <T>(part: T | FilePart): T | { type: 'text'; text: string } => {
    const text = notes.get(part as FilePart);
    return text === undefined ? (part as T) : { type: 'text', text };
  };
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { ...message, content: message.content.map((part) => noted(part)) };
    case 'assistant':
      return { ...message, content: message.content.map((part) => noted(part)) };
    case 'tool':
      return {
        ...message,
        content: message.content.map((part) => {
          if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
          const value = part.output.value.map((one) => noted(one));
          return { ...part, output: { ...part.output, value } };
        }),
      };
  }
}
