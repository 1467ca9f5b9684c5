import { Cell } from './cell.ts';

const midnight = (): number => new Date().setHours(0, 0, 0, 0);

/** The first moment of today, here. */
export const today = new Cell(midnight());

/** Looked at now and then, and not set for midnight: a machine may sleep, and travel. */
setInterval(() => today.set(midnight()), 60_000);
