import { duration } from '../../format/time.ts';
import { useNow } from '../../ui/use-now.ts';
import type { ToolView } from './tool-view.ts';

/** Shorter durations are not shown. */
const WORTH_SHOWING_MS = 500;

/** The duration so far, or in total. */
export function Elapsed({ view }: { readonly view: ToolView }) {
  const { state, startedAt, durationMs } = view;
  const now = useNow(state === 'running' && startedAt !== undefined);
  const ms = durationMs ?? (state === 'running' && startedAt !== undefined ? now - startedAt : 0);
  if (ms < WORTH_SHOWING_MS) return null;
  return <span className="shrink-0 text-muted tabular-nums">{duration(ms)}</span>;
}
