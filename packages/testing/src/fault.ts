import type { ScriptedAnswer } from './answer.ts';
import type { FailureKind } from './dialect.ts';
import { answer } from './answer.ts';
import { text, toolCall } from './parts.ts';

/**
 * The position of a fault in a stream: after a number of content events (a text, reasoning or argument delta, or a
 * whole call if the API has no deltas), or after a number of events of any kind.
 */
export type Position = { afterParts: number } | { afterEvents: number };

/** A response with a fault. */
export type Fault = { kind: 'fault' } & (
  | {
      type: 'status';
      status: number;
      headers: Readonly<Record<string, string>>;
      /** Default: the API's own error for that status. */
      body: unknown;
    }
  | { type: 'failure'; failure: FailureKind; headers: Readonly<Record<string, string>> }
  | { type: 'empty-body' }
  | { type: 'reset'; headers: boolean; at: Position; of: ScriptedAnswer }
  | { type: 'hang'; headers: boolean; at: Position; of: ScriptedAnswer }
  | { type: 'eof'; at: Position; of: ScriptedAnswer }
  | { type: 'malformed-sse'; at: Position; of: ScriptedAnswer }
  | { type: 'cut-json'; of: ScriptedAnswer }
  | { type: 'error-event'; failure: FailureKind; at: Position; of: ScriptedAnswer }
);

interface Cut {
  afterParts?: number;
  afterEvents?: number;
  /** The response to disturb. Default: a short text. */
  of?: ScriptedAnswer;
}

const SHORT_TEXT = answer([text('This answer will not arrive in one piece.', { chunks: 6 })]);
const ONE_CALL = answer([toolCall('add', { a: 1, b: 2 }, { chunks: 4 })]);
const TWO_CALLS = answer([toolCall('add', { a: 1, b: 2 }), toolCall('add', { a: 3, b: 4 })]);

function position(cut: Cut, otherwise: Position): Position {
  if (cut.afterEvents !== undefined) return { afterEvents: cut.afterEvents };
  return cut.afterParts === undefined ? otherwise : { afterParts: cut.afterParts };
}

function status(
  code: number,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Fault {
  const { headers = {}, body } = options;
  return { kind: 'fault', type: 'status', status: code, headers, body };
}

function failing(failure: FailureKind): (options?: { headers?: Record<string, string> }) => Fault {
  return ({ headers = {} } = {}) => ({ kind: 'fault', type: 'failure', failure, headers });
}

/** Without a position: before the first byte, including headers. */
function reset(cut: Cut = {}): Fault {
  const { of = SHORT_TEXT } = cut;
  const at = position(cut, { afterParts: 0 });
  return { kind: 'fault', type: 'reset', headers: isMidway(at), at, of };
}

/** Without a position: after the headers, before the first event. `headers: false` sends nothing at all. */
function hang(cut: Cut & { headers?: boolean } = {}): Fault {
  const { of = SHORT_TEXT, headers = true } = cut;
  const at = position(cut, { afterParts: 0 });
  return { kind: 'fault', type: 'hang', headers: headers || isMidway(at), at, of };
}

/** The HTTP response ends properly, but its stream does not. Without a position: after the first event. */
function eof(cut: Cut = {}): Fault {
  const at = position(cut, { afterEvents: 1 });
  return { kind: 'fault', type: 'eof', at, of: cut.of ?? SHORT_TEXT };
}

/** One event with invalid JSON after the first part; then the stream continues. */
function malformedSse(cut: Cut = {}): Fault {
  const at = position(cut, { afterParts: 1 });
  return { kind: 'fault', type: 'malformed-sse', at, of: cut.of ?? SHORT_TEXT };
}

/** The response ends within an event that carries a tool call. */
function cutJson(options: { of?: ScriptedAnswer } = {}): Fault {
  return { kind: 'fault', type: 'cut-json', of: options.of ?? ONE_CALL };
}

/** Status 200 with the right content type and an empty body. */
function emptyBody(): Fault {
  return { kind: 'fault', type: 'empty-body' };
}

/** The API's own error event in the middle of the stream, which ends there. */
function errorEvent(cut: Cut & { failure?: FailureKind } = {}): Fault {
  const { failure = 'overloaded', of = SHORT_TEXT } = cut;
  return { kind: 'fault', type: 'error-event', failure, at: position(cut, { afterParts: 1 }), of };
}

/** All calls of the response have the same ID. */
function duplicateIds(options: { of?: ScriptedAnswer; id?: string } = {}): ScriptedAnswer {
  const { of = TWO_CALLS, id = 'call_twice' } = options;
  const parts = of.parts.map((part) => (part.type === 'tool-call' ? { ...part, id } : part));
  return { ...of, parts };
}

function isMidway(at: Position): boolean {
  return 'afterParts' in at ? at.afterParts > 0 : at.afterEvents > 0;
}

export const fault = {
  status,
  overloaded: failing('overloaded'),
  rateLimit: failing('rate-limit'),
  contextTooLong: failing('context-too-long'),
  quotaExceeded: failing('quota'),
  serverError: failing('server'),
  unavailable: failing('unavailable'),
  badKey: failing('bad-key'),
  forbidden: failing('forbidden'),
  unknownModel: failing('unknown-model'),
  contentFilter: failing('content-filter'),
  reset,
  hang,
  eof,
  malformedSse,
  cutJson,
  emptyBody,
  errorEvent,
  duplicateIds,
};
