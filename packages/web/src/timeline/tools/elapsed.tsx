import { useEffect, useState } from 'react';
import { duration } from '../../ui/time.ts';
import type { ToolView } from './tool-view.ts';

/** Below this nobody has waited. */
const WORTH_SHOWING_MS = 500;

/** How long it took, or has taken so far: whoever looks sees that it is alive. */
export function Elapsed({ view }: { readonly view: ToolView }) {
  const { state, startedAt, durationMs } = view;
  const now = useSeconds(state === 'running' && startedAt !== undefined);
  const ms = durationMs ?? (state === 'running' && startedAt !== undefined ? now - startedAt : 0);
  if (ms < WORTH_SHOWING_MS) return null;
  return <span className="shrink-0 text-muted tabular-nums">{duration(ms)}</span>;
}

function useSeconds(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
