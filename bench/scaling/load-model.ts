import type { SizingData } from '../report/sizing.ts';

/** What users do. */
export interface Workload {
  readonly chatsPerDay: number;
  readonly turnsPerChat: number;
  /** Tool calls per turn, one after the other. */
  readonly callsPerTurn: number;
  /** Deltas of the model per turn. */
  readonly deltasPerTurn: number;
  /** Clients that watch a turn. */
  readonly viewersPerTurn: number;
  /** How long a turn runs, with its model and tools. */
  readonly secondsPerTurn: number;
  /** The load of the busiest hour, as a multiple of the average. */
  readonly peak: number;
  /** How long chats are kept. */
  readonly days: number;
  /** Uploads, and files of tools, in KB per turn. */
  readonly filesKbPerTurn: number;
  /** Running chats whose tools share a machine. */
  readonly chatsPerMachine: number;
}

export const TYPICAL: Workload = {
  chatsPerDay: 1000,
  turnsPerChat: 10,
  callsPerTurn: 4,
  deltasPerTurn: 600,
  viewersPerTurn: 1.2,
  secondsPerTurn: 60,
  peak: 4,
  days: 90,
  filesKbPerTurn: 20,
  chatsPerMachine: 20,
};

/** Of one turn, from the sizing benchmark. */
interface TurnCosts {
  readonly serverCpuMs: number;
  readonly postgresCpuMs: number;
  readonly walBytes: number;
  readonly storedBytes: number;
}

/** The costs of a step with a tool call are those that a turn with a call has more than one without. */
function turnCosts(measured: SizingData, workload: Workload): TurnCosts {
  const { idle, running, viewed, database } = measured;
  const { callsPerTurn: calls, deltasPerTurn, viewersPerTurn } = workload;
  const perDelta = (running.cores - idle.cores) / running.deltas;
  const perEvent = (viewed.cores - idle.cores - perDelta * viewed.deltas) / viewed.events;
  const steps = 1 + calls;
  return {
    // The measured turn has one step. Its statements are most of its cost, so each further step costs as much.
    serverCpuMs:
      steps * database.turnCpuMs + 1000 * deltasPerTurn * (perDelta + perEvent * viewersPerTurn),
    postgresCpuMs: steps * database.turnPostgresCpuMs,
    walBytes: database.turnWalBytes + calls * (database.toolTurnWalBytes - database.turnWalBytes),
    storedBytes: database.turnBytes + calls * (database.toolTurnBytes - database.turnBytes),
  };
}

/** What users cause, whatever it costs. In the busiest hour, except for what grows by the day. */
export interface Traffic {
  readonly turnsPerSecond: number;
  readonly runningChats: number;
  readonly commitsPerSecond: number;
  readonly callsPerSecond: number;
  readonly machines: number;
  readonly messages: number;
  /** Questions and answers. Tool calls are not indexed. */
  readonly indexedMessages: number;
  readonly filesGb: number;
}

export interface Load extends Traffic {
  readonly serverCores: number;
  readonly replicas: number;
  readonly connections: number;
  readonly postgresCores: number;
  readonly walMbPerSecond: number;
  readonly storedGbPerDay: number;
  readonly storedGb: number;
}

const DAY_SECONDS = 86_400;
/** Of one core, so that a replica can take over the chats of another one. */
const REPLICA_SHARE = 0.6;
/** 20 for statements, 2 reserved, and 1 that listens. */
const REPLICA_CONNECTIONS = 23;

const turnsPerDay = ({ chatsPerDay, turnsPerChat }: Workload) => chatsPerDay * turnsPerChat;

/** One for the message, two for each step with a call, one for the answer. */
const commitsOf = ({ callsPerTurn }: Workload) => 2 + 2 * callsPerTurn;

export function trafficOf(workload: Workload): Traffic {
  const { peak, days, callsPerTurn, secondsPerTurn, chatsPerMachine, filesKbPerTurn } = workload;
  const turnsPerSecond = (turnsPerDay(workload) / DAY_SECONDS) * peak;
  const runningChats = turnsPerSecond * secondsPerTurn;
  const kept = turnsPerDay(workload) * days;
  return {
    turnsPerSecond,
    runningChats,
    commitsPerSecond: turnsPerSecond * commitsOf(workload),
    callsPerSecond: turnsPerSecond * callsPerTurn,
    machines: Math.ceil(runningChats / chatsPerMachine),
    // A question, an answer, and a call with its result for each tool call.
    messages: kept * (2 + 2 * callsPerTurn),
    indexedMessages: kept * 2,
    filesGb: (kept * filesKbPerTurn * 1024) / 1e9,
  };
}

export function loadOf(measured: SizingData, workload: Workload): Load {
  const traffic = trafficOf(workload);
  const costs = turnCosts(measured, workload);
  const { turnsPerSecond } = traffic;
  const serverCores = (turnsPerSecond * costs.serverCpuMs) / 1000;
  // At least two, so that one may fail.
  const replicas = Math.max(2, Math.ceil(serverCores / REPLICA_SHARE));
  const storedGbPerDay = (turnsPerDay(workload) * costs.storedBytes) / 1e9;
  return {
    ...traffic,
    serverCores,
    replicas,
    connections: replicas * REPLICA_CONNECTIONS,
    postgresCores: (turnsPerSecond * costs.postgresCpuMs) / 1000,
    walMbPerSecond: (turnsPerSecond * costs.walBytes) / 1e6,
    storedGbPerDay,
    storedGb: storedGbPerDay * workload.days,
  };
}
