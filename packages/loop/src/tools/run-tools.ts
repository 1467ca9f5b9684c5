import { isoTime } from '../iso-time.ts';
import type { HistoryCall, HistoryMessage, HistoryResult } from '../history/message.ts';
import { INTERRUPTED_RESULT } from '../history/message.ts';
import type { PlannedCall } from '../plan-calls.ts';
import type { Turn } from '../turn.ts';
import { parallelLimit } from './parallel-limit.ts';
import { resultBudget } from './result-budget.ts';
import { errorOutcome, type Outcome, runCall } from './run-call.ts';

interface ToolRun {
  /** In call order, without calls that a shutdown left open. */
  results: HistoryResult[];
  runtimeMs: number;
}

interface Settled {
  outcome: Outcome;
  at: number;
  /** Set if the call waited for an approval. */
  startedAt?: number;
}

/**
 * Runs the calls in parallel, up to the limit. A result is published once all earlier ones are. After an abort, each
 * running tool has a short grace period to return its own result, and no further call starts.
 */
export async function runTools(
  turn: Turn,
  planned: readonly PlannedCall[],
  response: HistoryMessage | undefined,
): Promise<ToolRun> {
  const started = turn.clock.now();
  const budget = resultBudget(response?.usage?.context_limit ?? turn.next.context_limit);
  const gone = abandonment(turn);
  const limited = parallelLimit(turn.limits.max_parallel_tools);
  const running = planned.map(async ({ call, refuse, approved }): Promise<Settled | undefined> => {
    if (refuse !== undefined) return { outcome: errorOutcome(refuse), at: turn.clock.now() };
    return limited(async () =>
      turn.signal.aborted
        ? undefined
        : Promise.race([start(turn, call, budget, approved === true), gone.promise]),
    );
  });
  const results: HistoryResult[] = [];
  for (const [index, pending] of running.entries()) {
    const settled = await pending;
    const call = planned[index]?.call;
    if (call === undefined) continue;
    const result = resultOf(call, settled, turn);
    if (result === undefined) continue;
    results.push(result);
    const { provider_metadata: _, interrupted: __, ...shown } = result;
    turn.publish({ type: 'part', role: 'tool', part: shown });
  }
  gone.release();
  return { results, runtimeMs: turn.clock.now() - started };
}

async function start(
  turn: Turn,
  call: HistoryCall,
  budget: number,
  approved: boolean,
): Promise<Settled | undefined> {
  const { signal, clock } = turn;
  const { tool_call_id, tool_name, created_at } = call;
  let ended = false;
  const context = {
    callId: tool_call_id,
    calledAt: created_at,
    signal,
    publish(text: string) {
      if (ended || text === '') return;
      const part = { type: 'tool-result' as const, tool_call_id, tool_name, result_delta: text };
      turn.publish({ type: 'part', role: 'tool', part });
    },
  };
  const startedAt = clock.now();
  if (approved) {
    const started_at = isoTime(startedAt);
    const part = { type: 'tool-result' as const, tool_call_id, tool_name, started_at };
    turn.publish({ type: 'part', role: 'tool', part });
  }
  const runner = turn.tools.runner(tool_name);
  const outcome = await runCall(call, runner, context, { files: turn.files, budget });
  ended = true;
  // A tool that a shutdown canceled stays open: the next owner decides about it.
  if (outcome.is_error === true && signal.aborted && !turn.interrupted()) return undefined;
  return { outcome, at: clock.now(), ...(approved && { startedAt }) };
}

/** Waits for results only until shortly after an abort. */
function abandonment(turn: Turn): { promise: Promise<undefined>; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let cancel: (() => void) | undefined;
  const begin = () => {
    cancel = turn.clock.after(turn.limits.tool_grace_ms, () => resolve(undefined));
  };
  if (turn.signal.aborted) begin();
  else turn.signal.addEventListener('abort', begin, { once: true });
  const release = () => {
    turn.signal.removeEventListener('abort', begin);
    cancel?.();
  };
  return { promise, release };
}

function resultOf(
  call: HistoryCall,
  settled: Settled | undefined,
  turn: Turn,
): HistoryResult | undefined {
  const { tool_call_id, tool_name, provider_metadata } = call;
  const about = {
    type: 'tool-result' as const,
    tool_call_id,
    tool_name,
    // Some providers require the metadata of the call on its result.
    ...(provider_metadata && { provider_metadata }),
  };
  if (settled !== undefined) {
    const { outcome, at, startedAt } = settled;
    return {
      ...about,
      ...outcome,
      ...(startedAt !== undefined && { started_at: isoTime(startedAt) }),
      created_at: isoTime(at),
    };
  }
  if (!turn.interrupted()) return undefined;
  const created_at = isoTime(turn.clock.now());
  return { ...about, ...errorOutcome(INTERRUPTED_RESULT), interrupted: true, created_at };
}
