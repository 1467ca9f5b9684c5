import type { Answer } from './answer.ts';
import type { Dialect, EncodeContext } from './dialect.ts';
import type { Fault } from './fault.ts';
import type { Frame } from './frame.ts';
import type { Recording } from './recording.ts';
import type { Step } from './steps.ts';
import { recordingFrames } from './recording.ts';
import { disturb } from './disturb.ts';
import { isObject } from './json.ts';
import { framesToSteps } from './steps.ts';

/** What a test can put into a provider's script. */
export type Scripted = Answer | Fault | Recording;

/** Everything that will happen on the wire, decided before any of it happens. */
export interface Reply {
  /** Without a head, the connection is left before anything is said. */
  head?: { status: number; headers: Readonly<Record<string, string>> };
  steps: readonly Step[];
}

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};
const JSON_BODY = { 'content-type': 'application/json' };

export function planReply(scripted: Scripted, dialect: Dialect, context: EncodeContext): Reply {
  if (scripted.kind === 'fault') return planFault(scripted, dialect, context);
  if (scripted.kind === 'recording') {
    return whole(recordingFrames(scripted, dialect), 0, dialect, context);
  }
  return whole(dialect.encode(scripted, context), scripted.paceMs, dialect, context);
}

export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    head: { status, headers: { ...JSON_BODY, ...headers } },
    steps: [{ do: 'write', text }, { do: 'end' }],
  };
}

function whole(
  frames: readonly Frame[],
  paceMs: number,
  dialect: Dialect,
  context: EncodeContext,
): Reply {
  if (dialect.wantsStream(context.request)) {
    return { head: ok(), steps: [...framesToSteps(frames, paceMs), { do: 'end' }] };
  }
  const events = frames
    .flatMap((frame) => (frame.type === 'event' ? [frame.data] : []))
    .filter(isObject);
  const holds = frames.flatMap((frame): Step[] =>
    frame.type === 'gate' ? [{ do: 'hold', gate: frame }] : [],
  );
  const text = JSON.stringify(dialect.assemble(events));
  const head = { status: 200, headers: JSON_BODY };
  return { head, steps: [...holds, { do: 'write', text, events }, { do: 'end' }] };
}

function planFault(fault: Fault, dialect: Dialect, context: EncodeContext): Reply {
  if (fault.type === 'status') {
    const { status, headers } = fault;
    const message = `${status}, as the script of the fake provider says`;
    return jsonReply(status, fault.body ?? dialect.errorBody({ status, message }), headers);
  }
  if (fault.type === 'failure') {
    const refusal = dialect.failure(fault.failure);
    return jsonReply(refusal.status, dialect.errorBody(refusal), fault.headers);
  }
  if (fault.type === 'empty-body') return { head: ok(), steps: [{ do: 'end' }] };
  const steps = disturb(fault, dialect, dialect.encode(fault.of, context));
  const silent = 'headers' in fault && !fault.headers;
  return silent ? { steps } : { head: ok(), steps };
}

function ok(): { status: number; headers: Readonly<Record<string, string>> } {
  return { status: 200, headers: EVENT_STREAM };
}
