import type { CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread, independent of other load. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const ran = ({ tdur, dur = 0 }: TraceEvent): number => (tdur ?? dur) / 1000;

export interface Traced {
  readonly longestTaskMs: number;
  /** Number of tasks over 50 ms. */
  readonly longTasks: number;
  /** Script time per frame, sorted. */
  readonly scriptMsByFrame: readonly number[];
  /** Total script time. */
  readonly scriptMs: number;
}

const CATEGORIES =
  'devtools.timeline,disabled-by-default-devtools.timeline,toplevel,v8.execute,__metadata';
const SCRIPT = new Set([
  'FunctionCall',
  'EvaluateScript',
  'RunMicrotasks',
  'FireAnimationFrame',
  'TimerFire',
  'EventDispatch',
  'v8.callFunction',
]);

const TASK = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);
const FRAME = new Set(['PageAnimator::serviceScriptedAnimations', 'FireAnimationFrame']);

/** Traces the main thread of the page. */
export async function trace(session: CDPSession, during: () => Promise<void>): Promise<Traced> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => {
    events.push(...(value as TraceEvent[]));
  };
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES.split(',') },
  });
  await during();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return summed(onMainThread(events));
}

/** Events of the busiest renderer: the trace covers the whole browser. */
function onMainThread(events: readonly TraceEvent[]): TraceEvent[] {
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  );
  const byThread = mains.map(({ pid, tid }) =>
    events.filter((event) => event.pid === pid && event.tid === tid && event.ph === 'X'),
  );
  return byThread.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

function summed(events: readonly TraceEvent[]): Traced {
  // Tasks and frames are each reported twice, nested.
  const tasks = outermost(events.filter(({ name }) => TASK.has(name))).map(ran);
  const frames = outermost(events.filter(({ name }) => FRAME.has(name))).map(({ ts }) => ts);
  const scripts = outermost(events.filter(({ name }) => SCRIPT.has(name)));
  const byFrame = frames.map((start, at) => {
    const end = frames[at + 1] ?? Infinity;
    const within = scripts.filter(({ ts }) => ts >= start && ts < end);
    return within.reduce((sum, event) => sum + ran(event), 0);
  });
  return {
    longestTaskMs: Math.max(0, ...tasks),
    longTasks: tasks.filter((ms) => ms > 50).length,
    scriptMsByFrame: byFrame.toSorted((a, b) => a - b),
    scriptMs: scripts.reduce((sum, event) => sum + ran(event), 0),
  };
}

/** Drops events nested in others. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  const sorted = events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const kept: TraceEvent[] = [];
  let until = -1;
  for (const event of sorted) {
    if (event.ts < until) continue;
    kept.push(event);
    until = event.ts + (event.dur ?? 0);
  }
  return kept;
}
