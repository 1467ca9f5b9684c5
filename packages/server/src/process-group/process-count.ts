import type { Config } from '../config.ts';
import { StartError } from '../start-error.ts';

export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

const MB = 1024 * 1024;
/** Memory per process under load, with room for histories and files. */
const PROCESS_BYTES = 512 * MB;
/** The embedded PostgreSQL accepts 120 connections. */
const EMBEDDED_CONNECTIONS = 110;
/** Of each process, besides its pool: heartbeats, leases, readiness, and the bus. */
const OTHER_CONNECTIONS = 3;
const EMBEDDED_MAX = 16;
/** More processes need more database connections than PostgreSQL accepts by default. */
const AUTO_MAX = 8;
const LEAST_CONNECTIONS = 5;

type CountedConfig = Pick<Config, 'processes' | 'databaseUrl' | 'busUrl'>;

/** The number of processes. Throws `StartError` if the other settings do not allow it. */
export function processCount(config: CountedConfig, machine: Machine): number {
  const { processes, databaseUrl, busUrl } = config;
  const most = databaseUrl === undefined ? EMBEDDED_MAX : Infinity;
  if (processes === 'auto') {
    if (busUrl === 'memory:') return 1;
    const fitting = Math.floor(machine.memoryBytes / PROCESS_BYTES);
    return Math.max(1, Math.min(machine.cores, fitting, AUTO_MAX));
  }
  if (processes === 1) return 1;
  if (busUrl === 'memory:') {
    throw refused(processes, 'Processes need a bus. Unset CHATD_BUS_URL to use PostgreSQL.');
  }
  if (processes > most) {
    throw refused(processes, `The embedded PostgreSQL supports up to ${most} processes.`);
  }
  return processes;
}

const refused = (processes: number, hint: string) =>
  new StartError('usage', `CHATD_PROCESSES=${processes} cannot be used with these settings.`, hint);

/** The settings of one of several processes: its share of the limits of the server. Rate limits are shared instead. */
export function configOfMember(config: Config, size: number): Config {
  const { requestLimits, databaseUrl, databaseConnections } = config;
  const share = Math.max(LEAST_CONNECTIONS, Math.ceil(databaseConnections / size));
  // A rolling restart runs one more process.
  const most = Math.floor(EMBEDDED_CONNECTIONS / (size + 1)) - OTHER_CONNECTIONS;
  return {
    ...config,
    databaseConnections: databaseUrl === undefined ? Math.min(share, most) : share,
    requestLimits: {
      ...requestLimits,
      concurrency: Math.ceil(requestLimits.concurrency / size),
    },
  };
}
