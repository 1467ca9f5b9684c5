/** What a piece of code is, and so which colour it has. Places in this list go from the worker to the page. */
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

/** Stretches of a text that have a colour: start, end and kind, three numbers each. */
export type Colours = readonly number[];

export interface ColourRequest {
  readonly id: number;
  readonly language: string;
  readonly text: string;
  /** What stands before it, of the same code: its last pieces, as far as they matter. */
  readonly after: string;
}

export interface ColourAnswer {
  readonly id: number;
  readonly colours: Colours;
}
