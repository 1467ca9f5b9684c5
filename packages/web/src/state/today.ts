import { Cell } from './cell.ts';

const midnight = (): number => new Date().setHours(0, 0, 0, 0);

/** The start of the local day. */
export const today = new Cell(midnight());

/** Polled instead of timed for midnight: computers sleep and change time zones. */
setInterval(() => today.set(midnight()), 60_000);
