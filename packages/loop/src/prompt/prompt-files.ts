import { yieldToEventLoop, isLate } from '../yield-to-event-loop.ts';
import type { HistoryMessage } from '../history/message.ts';
import { fitMedia } from '../media/fit.ts';
import { inspectMedia } from '../media/inspect.ts';
import { mediaLimits } from '../media/limits.ts';
import { deletedNote, hiddenNote, supersededNote } from '../media/notes.ts';
import { BLOCK, overflow } from '../media/overflow.ts';
import { isTextType } from '../providers/media-types.ts';
import type { MediaFile } from '../tools/media.ts';
import { type Conversion, isForeign } from './conversion.ts';
import { type FileReference, referencesIn } from './file-references.ts';

/** A file in base64, the text of a text file, or a note for the model. */
export type PromptFile =
  | { readonly data: string; readonly media_type: string; readonly name?: string }
  | { readonly text: string }
  | { readonly note: string };

/** The files of one message, by ID. */
export type MessageFiles = ReadonlyMap<string, PromptFile>;

export interface Selection {
  /** By the index of the message. */
  readonly files: ReadonlyMap<number, MessageFiles>;
  /** Up to this index, messages show the same files as in the previous selection. */
  readonly unchanged: number;
}

interface LoadedFile {
  readonly shown: PromptFile;
  /** What the file adds to the request, before base64. */
  readonly bytes: number;
  readonly kind: FileKind;
  /** The longer side of an image, in pixels. */
  readonly side: number;
}

type FileKind = 'image' | 'document' | 'other';

/**
 * Selects the files of a prompt: the newest ones that fit into one request. Loads them one at a time, newest first, up
 * to the limit, so that memory holds the files of one request only. Files that stay between prompts are loaded and
 * encoded once.
 */
export class PromptFiles {
  readonly #to: Conversion;
  #references: FileReference[] = [];
  #loaded = new Map<string, LoadedFile>();
  #selected = new Map<number, Map<string, PromptFile>>();
  /** The oldest file that is shown, once the size limit has removed older ones. Those stay removed. */
  #oldest: FileReference | undefined;

  constructor(to: Conversion) {
    this.#to = to;
  }

  /** No message refers to a file. */
  get isEmpty(): boolean {
    return this.#references.length === 0;
  }

  /** The first `kept` messages are the same as in the previous call. */
  async select(messages: readonly HistoryMessage[], kept: number): Promise<Selection> {
    const first = this.#references.findIndex(({ at }) => at >= kept);
    if (first >= 0) this.#references.length = first;
    for (let at = kept; at < messages.length; at++) {
      const message = messages[at];
      if (message !== undefined) this.#references.push(...referencesIn(message, at));
    }
    const shown = await this.#choose();
    const files = new Map<number, Map<string, PromptFile>>();
    for (const reference of this.#references) {
      const file = shown.get(reference) ?? { note: supersededNote(reference.name) };
      const ofMessage = files.get(reference.at) ?? new Map<string, PromptFile>();
      files.set(reference.at, ofMessage.set(reference.id, file));
    }
    const unchanged = firstDifference(this.#selected, files, kept);
    this.#selected = files;
    return { files, unchanged };
  }

  async #choose(): Promise<Map<FileReference, PromptFile>> {
    const limits = mediaLimits(this.#to.family);
    const candidates = this.#withinCounts();
    const floor = Math.max(0, candidates.indexOf(this.#oldest ?? NONE));
    const used = new Map<string, LoadedFile>();
    const chosen: [FileReference, LoadedFile][] = [];
    const room = { image: limits.images, document: limits.documents, other: Infinity };
    let bytes = 0;
    for (let index = candidates.length - 1; index >= floor; index--) {
      const reference = candidates[index] ?? NONE;
      const file = await this.#load(reference, used);
      if (file.bytes > 0 && bytes > 0 && bytes + file.bytes > limits.totalBytes) {
        this.#oldest = this.#dropBlock(chosen, bytes, limits.totalBytes * (1 - BLOCK));
        break;
      }
      if (room[file.kind]-- <= 0) continue;
      bytes += file.bytes;
      chosen.push([reference, file]);
    }
    this.#loaded = used;
    const images = chosen.filter(([, { kind }]) => kind === 'image').length;
    const { over, side } = limits.manyImages ?? { over: Infinity, side: 0 };
    return new Map(
      chosen.map(([reference, file]) => [
        reference,
        images > over && file.side > side
          ? { note: tooWideNote(reference, over, side) }
          : file.shown,
      ]),
    );
  }

  /**
   * Removes the oldest images and documents beyond the count limits, as far as messages contain the type. Tool results
   * do not, and usually contain images.
   */
  #withinCounts(): FileReference[] {
    const { images, documents } = mediaLimits(this.#to.family);
    const excess = { image: 0, document: 0, other: 0 };
    for (const reference of this.#references) excess[kindIn(reference)]++;
    excess.image = overflow(excess.image, images);
    excess.document = overflow(excess.document, documents);
    excess.other = 0;
    return this.#references.filter((reference) => excess[kindIn(reference)]-- <= 0);
  }

  /** Removes the oldest selected files until the rest fits into `bytesLeft`. The newest always stays. */
  #dropBlock(
    chosen: [FileReference, LoadedFile][],
    bytes: number,
    bytesLeft: number,
  ): FileReference | undefined {
    for (let left = bytes; left > bytesLeft && chosen.length > 1;) {
      left -= chosen.pop()?.[1].bytes ?? 0;
    }
    return chosen.at(-1)?.[0];
  }

  async #load(reference: FileReference, used: Map<string, LoadedFile>): Promise<LoadedFile> {
    const { id, media_type, name, message } = reference;
    const key = [message.role, isForeign(message, this.#to), id, media_type, name].join('\n');
    const file = used.get(key) ?? this.#loaded.get(key) ?? (await this.#read(reference));
    used.set(key, file);
    return file;
  }

  async #read(reference: FileReference): Promise<LoadedFile> {
    const { id, message, at: _, ...rest } = reference;
    const named = nameAndType(rest);
    const file = await this.#to.files.load(id);
    if (file === undefined) return noted(deletedNote(named.name));
    const shown = await fitMedia({ ...file, ...named }, this.#to);
    // Checking, scaling and encoding a large file takes milliseconds on the main thread.
    if (isLate()) await yieldToEventLoop();
    if ('note' in shown) return noted(shown.note);
    const note = leftOutNote(shown.file, message, this.#to);
    return note === undefined ? encoded(shown.file) : noted(note);
  }
}

const NONE: FileReference = { at: -1, message: { role: 'user', content: [] }, id: '' };

const nameAndType = ({ media_type, name }: { media_type?: string; name?: string }) => ({
  ...(media_type !== undefined && { media_type }),
  ...(name !== undefined && { name }),
});

const noted = (note: string): LoadedFile => ({
  shown: { note },
  bytes: 0,
  kind: 'other',
  side: 0,
});

/** As base64, because the provider packages encode byte by byte, which blocks the process. */
function encoded({ data, media_type, name }: MediaFile): LoadedFile {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isTextType(media_type)) {
    const text = `[${name ?? 'attached file'}]\n${new TextDecoder().decode(data)}`;
    return { shown: { text }, bytes: bytes.length, kind: 'other', side: 0 };
  }
  const { width = 0, height = 0 } = inspectMedia(data)?.size ?? {};
  const shown = { data: bytes.toString('base64'), media_type, ...(name !== undefined && { name }) };
  return { shown, bytes: bytes.length, kind: kindOf(media_type), side: Math.max(width, height) };
}

/** Before the file is loaded. */
const kindIn = ({ media_type = 'image/png' }: FileReference): FileKind => kindOf(media_type);

function kindOf(mediaType: string): FileKind {
  if (isTextType(mediaType)) return 'other';
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('application/') ? 'document' : 'other';
}

const tooWideNote = ({ name }: FileReference, over: number, side: number): string =>
  hiddenNote(
    { media_type: 'image/*', name },
    `with more than ${over} images, the limit is ${side} pixels`,
  );

/** Some files stay out of prompts although the provider accepts their type. */
function leftOutNote(file: MediaFile, message: HistoryMessage, to: Conversion): string | undefined {
  const { media_type } = file;
  // A video in a tool result is a recording for users, too large to send with every step.
  if (message.role === 'tool' && (media_type.startsWith('video/') || isTextType(media_type))) {
    return hiddenNote(file, `it is ${media_type}`);
  }
  const isSentBack = takesGeneratedFiles(to, isForeign(message, to)) && !isTextType(media_type);
  return message.role === 'assistant' && !isSentBack
    ? `[a file was made here: ${media_type}]`
    : undefined;
}

/** Google accepts files in model messages. An unknown provider takes back what it created. */
const takesGeneratedFiles = ({ family }: Conversion, foreign: boolean): boolean =>
  family === 'google' || (family === 'other' && !foreign);

function firstDifference(
  before: ReadonlyMap<number, MessageFiles>,
  now: ReadonlyMap<number, MessageFiles>,
  end: number,
): number {
  for (const [at, files] of now) {
    if (at >= end) break;
    const old = before.get(at);
    for (const [id, file] of files) if (!isSame(old?.get(id), file)) return at;
  }
  return end;
}

const isSame = (a: PromptFile | undefined, b: PromptFile): boolean =>
  a === b || (a !== undefined && 'note' in a && 'note' in b && a.note === b.note);
