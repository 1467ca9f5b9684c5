import type { Row } from '../row.ts';
import { killMidStream } from './kill-mid-stream.ts';

/** The fault table, in its order. */
export const ROWS: readonly Row[] = [killMidStream];
