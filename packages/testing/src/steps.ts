import type { StreamFrame } from './frame.ts';
import type { Gate } from './gate.ts';
import type { JsonObject } from './json.ts';
import type { Wire } from './wire.ts';
import { isObject } from './json.ts';

/** One operation of a server on a response. */
export type DeliveryStep =
  /** `events` are the events in the bytes, for the provider to record. */
  | { do: 'write'; bytes: string | Uint8Array; events?: readonly JsonObject[] }
  | { do: 'hold'; gate: Gate }
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'reset' }
  | { do: 'end' };

export function framesToSteps(
  frames: readonly StreamFrame[],
  wire: Wire,
  paceMs = 0,
): DeliveryStep[] {
  return frames.flatMap((frame): DeliveryStep[] => {
    if (frame.type === 'gate') return [{ do: 'hold', gate: frame }];
    const events = isObject(frame.data) ? [frame.data] : [];
    const write: DeliveryStep = { do: 'write', bytes: wire.bytes(frame), events };
    return paceMs > 0 ? [{ do: 'wait', ms: paceMs }, write] : [write];
  });
}
