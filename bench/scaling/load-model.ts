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
};

/** Of one turn, from the sizing benchmark. */
interface TurnCosts {
  readonly serverCpuMs: number;
  readonly postgresCpuMs: number;
  readonly walBytes: number;
  readonly storedBytes: number;
  readonly commits: number;
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
    // One for the message, two for each step with a call, one for the answer.
    commits: 2 + 2 * calls,
  };
}

/** In the busiest hour, except for what grows by the day. */
export interface Load {
  readonly turnsPerSecond: number;
  readonly runningChats: number;
  readonly serverCores: number;
  readonly postgresCores: number;
  readonly commitsPerSecond: number;
  readonly walMbPerSecond: number;
  readonly storedGbPerDay: number;
  readonly storedGb: number;
  readonly messages: number;
}

const DAY_SECONDS = 86_400;

export function loadOf(measured: SizingData, workload: Workload): Load {
  const costs = turnCosts(measured, workload);
  const turnsPerDay = workload.chatsPerDay * workload.turnsPerChat;
  const turnsPerSecond = (turnsPerDay / DAY_SECONDS) * workload.peak;
  const storedGbPerDay = (turnsPerDay * costs.storedBytes) / 1e9;
  return {
    turnsPerSecond,
    runningChats: turnsPerSecond * workload.secondsPerTurn,
    serverCores: (turnsPerSecond * costs.serverCpuMs) / 1000,
    postgresCores: (turnsPerSecond * costs.postgresCpuMs) / 1000,
    commitsPerSecond: turnsPerSecond * costs.commits,
    walMbPerSecond: (turnsPerSecond * costs.walBytes) / 1e6,
    storedGbPerDay,
    storedGb: storedGbPerDay * workload.days,
    // A question, an answer, and a call with its result for each tool call.
    messages: turnsPerDay * workload.days * (2 + 2 * workload.callsPerTurn),
  };
}
