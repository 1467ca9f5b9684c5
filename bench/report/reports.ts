import { agentsReport } from './agents.ts';
import { backupReport } from './backup.ts';
import { busReport } from './bus.ts';
import { checkpointsReport } from './checkpoints.ts';
import { faultsReport } from './faults.ts';
import { loadReport } from './load.ts';
import { loopReport } from './loop.ts';
import { machinesReport } from './machines.ts';
import { partitionsReport } from './partitions.ts';
import { quickstartReport } from './quickstart.ts';
import type { Report } from './report.ts';
import { responsesReport } from './responses.ts';
import { runReport } from './run.ts';
import { schedulesReport } from './schedules.ts';
import { searchReport } from './search.ts';
import { sizingReport } from './sizing.ts';
import { serverReport } from './server.ts';
import { soakReport } from './soak.ts';
import { storeReport } from './store.ts';
import { toolsReport } from './tools.ts';
import { usageReport } from './usage.ts';
import { webReport } from './web.ts';

/** All reports. To add one, create a file in this folder and list it here. */
export const REPORTS: readonly Report[] = [
  agentsReport,
  backupReport,
  busReport,
  checkpointsReport,
  faultsReport,
  loadReport,
  loopReport,
  machinesReport,
  partitionsReport,
  quickstartReport,
  responsesReport,
  runReport,
  schedulesReport,
  searchReport,
  serverReport,
  soakReport,
  sizingReport,
  storeReport,
  toolsReport,
  usageReport,
  webReport,
];
