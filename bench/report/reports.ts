import type { Report } from './report.ts';

/** Everything that is written from a kept result. A new one is a file beside this and a line here. */
export const REPORTS: readonly Report[] = [];
