import type { ScriptedAnswer } from './answer.ts';
import type { Dialect, EncodeContext } from './dialect.ts';
import type { Fault } from './fault.ts';
import type { StreamFrame } from './frame.ts';
import type { Recording } from './recording.ts';
import type { DeliveryStep } from './steps.ts';
import { recordingFrames } from './recording.ts';
import { disturb } from './disturb.ts';
import { isObject } from './json.ts';
import { framesToSteps } from './steps.ts';
import type { Refusal } from './refusal.ts';

/** What a test can put into a provider's script. */
export type Scripted = ScriptedAnswer | Fault | Recording;

/** Everything that will be sent, decided in advance. */
export interface Reply {
  /** Without a head, the connection closes before the response. */
  head?: { status: number; headers: Readonly<Record<string, string>> };
  steps: readonly DeliveryStep[];
}

const JSON_BODY = { 'content-type': 'application/json' };

export function planReply(scripted: Scripted, dialect: Dialect, context: EncodeContext): Reply {
  if (scripted.kind === 'fault') return planFault(scripted, dialect, context);
  if (scripted.kind === 'recording') {
    return whole(recordingFrames(scripted, dialect), 0, dialect, context);
  }
  return whole(dialect.encode(scripted, context), scripted.paceMs, dialect, context, scripted);
}

function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    head: { status, headers: { ...JSON_BODY, ...headers } },
    steps: [{ do: 'write', bytes: text }, { do: 'end' }],
  };
}

/** An error in the API's format, with its headers. */
export function refusalReply(refusal: Refusal, dialect: Dialect): Reply {
  const headers = { ...dialect.errorHeaders?.(refusal), ...refusal.headers };
  return jsonReply(refusal.status, dialect.errorBody(refusal), headers);
}

function whole(
  frames: readonly StreamFrame[],
  paceMs: number,
  dialect: Dialect,
  context: EncodeContext,
  answer?: ScriptedAnswer,
): Reply {
  if (dialect.wantsStream(context.request)) {
    const steps = framesToSteps(frames, dialect.wire, paceMs);
    return { head: ok(dialect, context, answer), steps: [...steps, { do: 'end' }] };
  }
  const events = frames
    .flatMap((frame) => (frame.type === 'event' ? [frame.data] : []))
    .filter(isObject);
  const holds = frames.flatMap((frame): DeliveryStep[] =>
    frame.type === 'gate' ? [{ do: 'hold', gate: frame }] : [],
  );
  const bytes = JSON.stringify(dialect.assemble(events));
  const head = { status: 200, headers: JSON_BODY };
  return { head, steps: [...holds, { do: 'write', bytes, events }, { do: 'end' }] };
}

function planFault(fault: Fault, dialect: Dialect, context: EncodeContext): Reply {
  if (fault.type === 'status') {
    const { status, headers } = fault;
    const message = `${status}, as the script of the fake provider says`;
    if (fault.body !== undefined) return jsonReply(status, fault.body, headers);
    return refusalReply({ status, message, headers }, dialect);
  }
  if (fault.type === 'failure') {
    const refusal = dialect.failure(fault.failure);
    const headers = { ...refusal.headers, ...fault.headers };
    return refusalReply({ ...refusal, headers }, dialect);
  }
  if (fault.type === 'empty-body') return { head: ok(dialect, context), steps: [{ do: 'end' }] };
  const steps = disturb(fault, dialect, dialect.encode(fault.of, context));
  const silent = 'headers' in fault && !fault.headers;
  return silent ? { steps } : { head: ok(dialect, context), steps };
}

type Head = NonNullable<Reply['head']>;

function ok(dialect: Dialect, context: EncodeContext, answer?: ScriptedAnswer): Head {
  const { wire } = dialect;
  const own = dialect.streamHeaders?.(answer, context) ?? {};
  return {
    status: 200,
    headers: { 'content-type': wire.contentType, 'cache-control': 'no-cache', ...own },
  };
}
