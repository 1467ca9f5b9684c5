import type { WebPage } from '@chatd/protocol/presentation';

/** The sources of a text by the numbers of their marks. */
export type Citations = ReadonlyMap<number, WebPage>;

/** An invisible separator tells a mark apart from brackets that the model writes. */
const SEPARATOR = '\u2063';

export const markOf = (number: number): string => `[${SEPARATOR}${number}]`;

/** A mark at the beginning of a text. */
export const MARK = new RegExp(String.raw`^\[${SEPARATOR}(\d{1,4})\]`);

/** The beginning of a mark at the end of a text. */
export const HALF_MARK = new RegExp(String.raw`\[${SEPARATOR}\d*$`);
