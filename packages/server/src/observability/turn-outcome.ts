import { ShuttingDown, type TurnOutcome } from '@chatd/loop';
import { LostLease, ModelChanged, Obsolete } from '../worker/stop-reasons.ts';

/** In one word, for labels, spans and logs. */
export function outcomeOf(outcome: TurnOutcome | Error): string {
  if (!(outcome instanceof Error)) return outcome.type;
  if (outcome instanceof ShuttingDown) return 'handed_over';
  if (outcome instanceof LostLease) return 'lost';
  if (outcome instanceof Obsolete || outcome instanceof ModelChanged) return 'restarted';
  return 'broken';
}
