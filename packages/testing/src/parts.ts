import type { Gate } from './gate.ts';

/** The content of one delta, or a gate between two deltas. */
export type Piece = string | Gate;

export interface Citation {
  url: string;
  title?: string;
  /** The cited text of the source. */
  citedText?: string;
  /** The position of the citation in the text. Default: the whole text. */
  start?: number;
  end?: number;
}

export interface TextPart {
  type: 'text';
  pieces: readonly Piece[];
  citations: readonly Citation[];
  /** Gemini also puts its signature on text. */
  signature?: string;
}

export interface ReasoningPart {
  type: 'reasoning';
  pieces: readonly Piece[];
  /** Anthropic's or Gemini's signature. Default: generated for Anthropic; null leaves it unsigned. */
  signature?: string | null;
  /** Sends an Anthropic `redacted_thinking` block with this data and no text. */
  redacted?: string;
  /** OpenAI's `encrypted_content`. Default: generated if the request asks for it. */
  encrypted?: string;
  /** The ID of an OpenAI reasoning item. */
  id?: string;
}

export interface ToolCallPart {
  type: 'tool-call';
  name: string;
  id?: string;
  /** The arguments as JSON text, split into the streamed deltas. */
  pieces: readonly Piece[];
  /** Gemini's thought signature of the call. Default: generated for Gemini 3; null leaves it unsigned. */
  signature?: string | null;
}

export interface SearchResult {
  url: string;
  title?: string;
  pageAge?: string;
  /** A value that Anthropic expects back unchanged. Default: generated. */
  encryptedContent?: string;
}

export interface WebSearchPart {
  type: 'web-search';
  query: string;
  id?: string;
  results: readonly SearchResult[];
  /** Anthropic's `error_code` of a failed search. */
  error?: string;
}

export interface FilePart {
  type: 'file';
  mediaType: string;
  /** Base64. */
  data: string;
  id?: string;
}

/** One raw event. */
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

/** Text in `chunks` deltas, or in the given deltas: `text(['Hel', pause, 'lo'])`. */
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

/** A call with the given arguments. A string or deltas are sent unchanged, even if they are not JSON. */
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
