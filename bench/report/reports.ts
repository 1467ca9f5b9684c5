import { busReport } from './bus.ts';
import { loadReport } from './load.ts';
import { loopReport } from './loop.ts';
import type { Report } from './report.ts';
import { serverReport } from './server.ts';
import { storeReport } from './store.ts';
import { toolsReport } from './tools.ts';
import { usageReport } from './usage.ts';
import { webReport } from './web.ts';

/** Everything that is written from a kept result. A new one is a file beside this and a line here. */
export const REPORTS: readonly Report[] = [
  busReport,
  loadReport,
  loopReport,
  serverReport,
  storeReport,
  toolsReport,
  usageReport,
  webReport,
];
