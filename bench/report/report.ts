import type { Result } from './result.ts';

/** Everything rendered from one stored result. */
export interface Rendered {
  /** Markdown for `<!-- figures: NAME -->`, by name. */
  readonly blocks?: Readonly<Record<string, string>>;
  /** Text for `<!-- figure: RESULT.KEY -->`, by key. */
  readonly figures?: Readonly<Record<string, string>>;
  /** SVG for docs/images, by file name. */
  readonly charts?: Readonly<Record<string, string>>;
}

export interface Report {
  /** The file in bench/results, without `.json`. */
  readonly result: string;
  /** The command that writes that file. */
  readonly command: string;
  render(result: Result<unknown>): Rendered;
}

/** `Data` is the type that the command of this report stores. */
export function defineReport<Data>(report: {
  readonly result: string;
  readonly command: string;
  render(result: Result<Data>): Rendered;
}): Report {
  return { ...report, render: (result) => report.render(result as Result<Data>) };
}
