import type { Result } from './result.ts';

/** What is written from one kept result. */
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
  /** What keeps that file, as one types it. */
  readonly command: string;
  render(result: Result<unknown>): Rendered;
}

/** The command of that result keeps data of this type: that is the contract between the two. */
export function defineReport<Data>(report: {
  readonly result: string;
  readonly command: string;
  render(result: Result<Data>): Rendered;
}): Report {
  return { ...report, render: (result) => report.render(result as Result<Data>) };
}
