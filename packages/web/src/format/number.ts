import { LOCALE } from './locale.ts';

const format = new Intl.NumberFormat(LOCALE);

/** "12,345". */
export const count = (value: number): string => format.format(value);

/** "1 call", "12,345 calls". */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${what}${value === 1 ? '' : 's'}`;
