import type { Dialect } from './dialect.ts';
import type { Fault, Position } from './fault.ts';
import type { StreamFrame } from './frame.ts';
import type { JsonObject } from './json.ts';
import type { DeliveryStep } from './steps.ts';
import type { Wire } from './wire.ts';
import { isObject } from './json.ts';
import { framesToSteps } from './steps.ts';

type Disturbance = Extract<Fault, { of: unknown }>;

/** The steps of a response with a fault. */
export function disturb(
  fault: Disturbance,
  dialect: Dialect,
  frames: readonly StreamFrame[],
): DeliveryStep[] {
  const { wire } = dialect;
  if (fault.type === 'cut-json') return cutJson(frames, wire);
  const cut = indexOf(frames, fault.at);
  const before = framesToSteps(frames.slice(0, cut), wire);
  if (fault.type === 'reset') return [...before, { do: 'reset' }];
  if (fault.type === 'hang') return [...before, { do: 'hang' }];
  if (fault.type === 'eof') return [...before, { do: 'end' }];
  if (fault.type === 'malformed-sse') {
    const after = framesToSteps(frames.slice(cut), wire);
    return [...before, { do: 'write', bytes: wire.malformed }, ...after, { do: 'end' }];
  }
  const sent = frames.slice(0, cut).flatMap((frame) => eventData(frame));
  const events = dialect.errorEvents(dialect.failure(fault.failure), sent);
  return [...before, ...framesToSteps(events, wire), { do: 'end' }];
}

/** The position of the fault. Gates that directly follow are passed first, so that a test can wait there. */
function indexOf(frames: readonly StreamFrame[], at: Position): number {
  const wanted = 'afterParts' in at ? at.afterParts : at.afterEvents;
  const counts = (frame: StreamFrame) =>
    frame.type === 'event' && frame.comment === undefined && ('afterEvents' in at || frame.part);
  let index = 0;
  for (let seen = 0; seen < wanted; index++) {
    const frame = frames[index];
    if (frame === undefined) {
      throw new RangeError(`the answer has only ${seen} parts, the fault comes after ${wanted}`);
    }
    if (counts(frame)) seen++;
  }
  if (wanted === 0) return 0;
  while (frames[index]?.type === 'gate') index++;
  return index;
}

function cutJson(frames: readonly StreamFrame[], wire: Wire): DeliveryStep[] {
  const last = frames.findLastIndex((frame) => frame.type === 'event' && frame.part);
  const frame = frames[last];
  if (frame?.type !== 'event') throw new RangeError('an answer without content cannot be cut');
  const cut = wire.bytes(frame);
  return [
    ...framesToSteps(frames.slice(0, last), wire),
    { do: 'write', bytes: cut.slice(0, Math.floor(cut.length * 0.8)) },
    { do: 'end' },
  ];
}

function eventData(frame: StreamFrame): JsonObject[] {
  return frame.type === 'event' && isObject(frame.data) ? [frame.data] : [];
}
