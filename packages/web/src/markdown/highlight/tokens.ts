/** The kinds of tokens. The worker sends indices into this list. */
export const TOKEN_KINDS = [
  'constant',
  'string',
  'comment',
  'keyword',
  'parameter',
  'function',
  'string-expression',
  'punctuation',
  'link',
] as const;

/** Highlighted ranges: start, end and kind, three numbers each. */
export type Highlights = readonly number[];

export interface HighlightRequest {
  readonly id: number;
  readonly language: string;
  readonly text: string;
  /** The preceding pieces of the same code, as context. */
  readonly after: string;
}

export interface HighlightResponse {
  readonly id: number;
  readonly highlights: Highlights;
}
