import type { Frame } from './frame.ts';
import type { Gate } from './gate.ts';
import type { JsonObject } from './json.ts';
import { sse } from './frame.ts';
import { isObject } from './json.ts';

/** One thing that a server does to a response. */
export type Step =
  | { do: 'write'; text: string; event?: JsonObject }
  | { do: 'hold'; gate: Gate }
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'reset' }
  | { do: 'end' };

export function framesToSteps(frames: readonly Frame[], paceMs = 0): Step[] {
  return frames.flatMap((frame): Step[] => {
    if (frame.type === 'gate') return [{ do: 'hold', gate: frame }];
    const event = isObject(frame.data) ? { event: frame.data } : {};
    const write: Step = { do: 'write', text: sse(frame), ...event };
    return paceMs > 0 ? [{ do: 'wait', ms: paceMs }, write] : [write];
  });
}
