import { ShuttingDown, type TurnOutcome } from '@chatd/loop';
import { isRestart, LostLease } from '../worker/stop-reasons.ts';

/** One word for labels, spans and logs. */
export function outcomeOf(outcome: TurnOutcome | Error): string {
  if (!(outcome instanceof Error)) return outcome.type;
  if (outcome instanceof ShuttingDown) return 'handed_over';
  if (outcome instanceof LostLease) return 'lost';
  if (isRestart(outcome)) return 'restarted';
  return 'broken';
}
