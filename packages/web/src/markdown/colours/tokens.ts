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
export type Colours = readonly number[];

export interface ColourRequest {
  readonly id: number;
  readonly language: string;
  readonly text: string;
  /** The preceding pieces of the same code, as context. */
  readonly after: string;
}

export interface ColourAnswer {
  readonly id: number;
  readonly colours: Colours;
}
