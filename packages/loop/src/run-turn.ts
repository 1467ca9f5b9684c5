import type { AwaitedCall, ChatError } from '@chatd/protocol';
import { compact, compactionCall } from './compaction/compact.ts';
import { chatError } from './errors/failure.ts';
import { type Generated, generate } from './generate/generate.ts';
import type { Snapshot } from './history/history.ts';
import type { CompactionSource, HistoryMessage } from './history/message.ts';
import { openStep } from './history/open-calls.ts';
import { closingMessages } from './interruption.ts';
import { mayCompactForOverflow, next } from './next.ts';
import type { PlannedCall } from './plan-calls.ts';
import { Interrupted } from './stop-reason.ts';
import { runTools } from './tools/run-tools.ts';
import { openTurn, type Turn, type TurnOptions } from './turn.ts';

export type TurnOutcome =
  | { type: 'finished' }
  | { type: 'requires_action'; calls: readonly AwaitedCall[] }
  | { type: 'interrupted' }
  | { type: 'failed'; error: ChatError };

/**
 * Runs the chat until it waits for an action. Rejects with an error of the history, or with the reason of the signal if
 * it is not an interrupt: then the turn stays open, and another run continues it.
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const turn = openTurn(options);
  for (;;) {
    const snapshot = await turn.history.read();
    if (turn.interrupted()) return interrupt(turn, snapshot.messages, []);
    try {
      const outcome = await advance(turn, snapshot);
      if (outcome !== undefined) return outcome;
    } catch (error) {
      // The history knew of the interrupt before our signal did.
      if (!(error instanceof Interrupted)) throw error;
      return interrupt(turn, snapshot.messages, []);
    }
  }
}

/** Performs the next operation and commits it. Undefined: continue. */
async function advance(turn: Turn, snapshot: Snapshot): Promise<TurnOutcome | undefined> {
  turn.signal.throwIfAborted();
  const step = next(snapshot, turn.next);
  switch (step.type) {
    case 'generate':
      return generated(turn, snapshot, await generate(turn, snapshot));
    case 'run-tools':
      return toolPhase(turn, snapshot, step.calls);
    case 'compact':
      return compaction(turn, snapshot, step.source);
    case 'require-action':
      await turn.history.requireAction(step.calls);
      return { type: 'requires_action', calls: step.calls };
    case 'finish':
      return (await turn.history.finishTurn()) === 'running' ? undefined : { type: 'finished' };
    case 'fail':
      return fail(turn, step.error);
  }
}

function generated(
  turn: Turn,
  snapshot: Snapshot,
  outcome: Generated,
): Promise<TurnOutcome | undefined> {
  const { messages: committed } = snapshot;
  switch (outcome.type) {
    case 'response':
      return commit(turn, snapshot, [outcome.message]);
    case 'interrupted':
      return interrupt(turn, committed, outcome.message === undefined ? [] : [outcome.message]);
    case 'failed':
      turn.publish({ type: 'reset' });
      return fail(turn, chatError(outcome.failure));
    case 'overflow':
      turn.publish({ type: 'reset' });
      if (!mayCompactForOverflow(committed)) return fail(turn, chatError(outcome.failure));
      // The open call makes `next` request the summary, here or in another process.
      return commit(turn, snapshot, [compactionCall('overflow', turn.clock.now())]);
  }
}

async function toolPhase(
  turn: Turn,
  snapshot: Snapshot,
  calls: readonly PlannedCall[],
): Promise<TurnOutcome | undefined> {
  const response = openStep(snapshot.messages)?.message;
  const announced = new Set(response?.meta?.starts);
  const unannounced = calls
    .filter(({ call, refuse }) => refuse === undefined && !announced.has(call.tool_call_id))
    .map(({ call }) => call.tool_call_id);
  if (unannounced.length > 0) await turn.history.beginTools(unannounced);
  const { results, runtimeMs } = await runTools(turn, calls, response);
  const { provider, model } = response?.meta ?? {};
  const message: HistoryMessage = {
    role: 'tool',
    content: results,
    runtime_ms: runtimeMs,
    meta: { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) },
  };
  return commit(turn, snapshot, results.length === 0 ? [] : [message]);
}

async function compaction(
  turn: Turn,
  snapshot: Snapshot,
  source: CompactionSource,
): Promise<TurnOutcome | undefined> {
  let messages: HistoryMessage[];
  try {
    messages = await compact(turn, snapshot.messages, source);
  } catch (error) {
    if (!turn.interrupted()) throw error;
    return interrupt(turn, snapshot.messages, []);
  }
  return commit(turn, snapshot, messages);
}

/** If an interrupt came first, it takes over the messages: nothing is lost or stored twice. */
async function commit(
  turn: Turn,
  snapshot: Snapshot,
  messages: readonly HistoryMessage[],
): Promise<TurnOutcome | undefined> {
  const { messages: committed } = snapshot;
  if (turn.interrupted()) return interrupt(turn, committed, messages);
  if (messages.length === 0) return undefined;
  try {
    await turn.history.commit(messages, expected(turn, snapshot, messages));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return interrupt(turn, committed, messages);
  }
  turn.publish({ type: 'committed', messages });
  return undefined;
}

/** The operation after these messages, if the history does not intervene. */
function expected(
  turn: Turn,
  { messages: committed, chat }: Snapshot,
  messages: readonly HistoryMessage[],
): 'generate' | 'finish' | undefined {
  // A summary changes the history; it is rare enough to read the state again.
  if (chat.compaction_requested === true || messages.some((m) => m.meta?.compaction)) {
    return undefined;
  }
  const { type } = next({ messages: [...committed, ...messages], chat: {} }, turn.next);
  return type === 'generate' || type === 'finish' ? type : undefined;
}

async function interrupt(
  turn: Turn,
  committed: readonly HistoryMessage[],
  pending: readonly HistoryMessage[],
): Promise<TurnOutcome> {
  const messages = closingMessages(committed, pending, turn.clock.now());
  await turn.history.finishInterruption(messages);
  turn.publish({ type: 'committed', messages });
  return { type: 'interrupted' };
}

async function fail(turn: Turn, error: ChatError): Promise<TurnOutcome> {
  await turn.history.fail(error);
  return { type: 'failed', error };
}
