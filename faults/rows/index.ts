import type { Row } from '../row.ts';
import { cleanShutdown } from './clean-shutdown.ts';
import { databaseRestart } from './database-restart.ts';
import { diskFull } from './disk-full.ts';
import { flappingClients } from './flapping-clients.ts';
import { frozenOwner } from './frozen-owner.ts';
import { killMidStream } from './kill-mid-stream.ts';
import { killMidTool } from './kill-mid-tool.ts';
import { listenCut, listenTerminated } from './lost-listen.ts';
import { machineDiskFull } from './machines/full-disk.ts';
import { COMMAND_ROWS } from './machines/running-commands.ts';
import { sharedToken } from './machines/shared-token.ts';
import { outboundWebhooks } from './outbound-webhooks.ts';
import { powerLoss } from './power-loss.ts';
import { noisyNeighbor } from './noisy-neighbor.ts';
import { providerFaults } from './provider-faults.ts';
import { race } from './race.ts';
import { slowClients } from './slow-clients.ts';
import { triggers } from './triggers.ts';
import { wrongClock } from './wrong-clock.ts';

/** The rows of the fault table, in order. */
export const ROWS: readonly Row[] = [
  killMidStream,
  killMidTool,
  databaseRestart,
  powerLoss,
  listenTerminated,
  listenCut,
  frozenOwner,
  race,
  providerFaults,
  slowClients,
  noisyNeighbor,
  flappingClients,
  diskFull,
  wrongClock,
  cleanShutdown,
  triggers,
  outboundWebhooks,
  ...COMMAND_ROWS,
  sharedToken,
  machineDiskFull,
];
