import { Cell } from './cell.ts';

/** The current time, updated every minute. One timer for all relative times. */
export const minute = new Cell(Date.now());

setInterval(() => minute.set(Date.now()), 60_000);
