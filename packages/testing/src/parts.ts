import type { Gate } from './gate.ts';

/** One piece of a streamed part: what a delta carries, or a gate between two of them. */
export type Piece = string | Gate;

export interface Citation {
  url: string;
  title?: string;
  /** The words of the source. */
  citedText?: string;
  /** Where in the answer's text the citation applies; the whole text unless told. */
  start?: number;
  end?: number;
}

export interface TextPart {
  type: 'text';
  pieces: readonly Piece[];
  citations: readonly Citation[];
  /** Gemini puts its signature on text, too. */
  signature?: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  pieces: readonly Piece[];
  /** Anthropic's or Gemini's signature. Unless told, Anthropic gets a made-up one; null leaves it unsigned. */
  signature?: string | null;
  /** Sends an Anthropic `redacted_thinking` block with this data, and no text. */
  redacted?: string;
  /** OpenAI's `encrypted_content`; made up when the request asks for it. */
  encrypted?: string;
  /** The id of an OpenAI reasoning item. */
  id?: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  name: string;
  id?: string;
  /** The arguments as JSON text, in the pieces in which they are streamed. */
  pieces: readonly Piece[];
  /** Gemini's thought signature, which rides on the call. Unless told, Gemini 3 gets one; null leaves it unsigned. */
  signature?: string | null;
}

export interface SearchResult {
  url: string;
  title?: string;
  pageAge?: string;
  /** What Anthropic must get back unchanged; made up unless told. */
  encryptedContent?: string;
}

export interface WebSearchPart {
  type: 'web-search';
  query: string;
  id?: string;
  results: readonly SearchResult[];
  /** Anthropic's `error_code` of a search that failed. */
  error?: string;
}

export interface FilePart {
  type: 'file';
  mediaType: string;
  /** Base64. */
  data: string;
  id?: string;
}

/** One event that is sent as it is. */
export interface RawPart {
  type: 'raw';
  data: unknown;
}

export type AnswerPart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | WebSearchPart
  | FilePart
  | RawPart
  | Gate;

type Streamed = string | readonly Piece[];

function pieces(content: Streamed, chunks: number): readonly Piece[] {
  if (typeof content !== 'string') return content;
  const length = Math.max(1, Math.ceil(content.length / Math.max(1, chunks)));
  const cut: string[] = [];
  for (let at = 0; at < content.length; at += length) cut.push(content.slice(at, at + length));
  return cut.length === 0 ? [''] : cut;
}

/** Text in `chunks` deltas, or in the given pieces: `text(['Hel', pause, 'lo'])`. */
export function text(
  content: Streamed,
  options: { chunks?: number; citations?: readonly Citation[]; signature?: string } = {},
): TextPart {
  const { chunks = 1, citations = [], ...rest } = options;
  return { type: 'text', pieces: pieces(content, chunks), citations, ...rest };
}

export function reasoning(
  content: Streamed,
  options: { chunks?: number } & Omit<ReasoningPart, 'type' | 'pieces'> = {},
): ReasoningPart {
  const { chunks = 1, ...rest } = options;
  return { type: 'reasoning', pieces: pieces(content, chunks), ...rest };
}

/** A call with the given arguments; a string or pieces are sent as they are, be they JSON or not. */
export function toolCall(
  name: string,
  input: Record<string, unknown> | Streamed = {},
  options: { id?: string; chunks?: number; signature?: string | null } = {},
): ToolCallPart {
  const { chunks = 1, ...rest } = options;
  const raw = typeof input === 'string' || Array.isArray(input);
  const content = raw ? (input as Streamed) : JSON.stringify(input);
  return { type: 'tool-call', name, pieces: pieces(content, chunks), ...rest };
}

export function webSearch(search: Omit<WebSearchPart, 'type'>): WebSearchPart {
  return { type: 'web-search', ...search };
}

export function file(
  mediaType: string,
  data: Uint8Array | string,
  options: { id?: string } = {},
): FilePart {
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return { type: 'file', mediaType, data: base64, ...options };
}

export function raw(data: unknown): RawPart {
  return { type: 'raw', data };
}
