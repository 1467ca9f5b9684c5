import type { Frame } from './frame.ts';
import type { Gate } from './gate.ts';
import type { JsonObject } from './json.ts';
import type { Wire } from './wire.ts';
import { isObject } from './json.ts';

/** One thing that a server does to a response. */
export type Step =
  /** `events` are those that the bytes tell, for the provider to remember. */
  | { do: 'write'; bytes: string | Uint8Array; events?: readonly JsonObject[] }
  | { do: 'hold'; gate: Gate }
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'reset' }
  | { do: 'end' };

export function framesToSteps(frames: readonly Frame[], wire: Wire, paceMs = 0): Step[] {
  return frames.flatMap((frame): Step[] => {
    if (frame.type === 'gate') return [{ do: 'hold', gate: frame }];
    const events = isObject(frame.data) ? [frame.data] : [];
    const write: Step = { do: 'write', bytes: wire.bytes(frame), events };
    return paceMs > 0 ? [{ do: 'wait', ms: paceMs }, write] : [write];
  });
}
