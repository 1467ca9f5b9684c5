import type { WebPage } from '@chatd/protocol/presentation';

/** The sources of a text by citation number. */
export type Citations = ReadonlyMap<number, WebPage>;

/** An invisible separator distinguishes citation marks from brackets that the model writes. */
const SEPARATOR = '\u2063';

export const markOf = (number: number): string => `[${SEPARATOR}${number}]`;

/** A mark at the start of a text. */
export const MARK = new RegExp(String.raw`^\[${SEPARATOR}(\d{1,4})\]`);

/** An incomplete mark at the end of a text. */
export const HALF_MARK = new RegExp(String.raw`\[${SEPARATOR}\d*$`);
