import type { Answer } from './answer.ts';
import type { FailureKind } from './dialect.ts';
import { answer } from './answer.ts';
import { text, toolCall } from './parts.ts';

/**
 * Where a stream is disturbed: after so many events that carry content (a text, reasoning or argument delta, a
 * whole call where the API has no deltas), or after so many events of any kind.
 */
export type Position = { afterParts: number } | { afterEvents: number };

/** An answer that goes wrong. */
export type Fault = { kind: 'fault' } & (
  | {
      type: 'status';
      status: number;
      headers: Readonly<Record<string, string>>;
      /** Unless told, the API's own error for that status. */
      body: unknown;
    }
  | { type: 'failure'; failure: FailureKind; headers: Readonly<Record<string, string>> }
  | { type: 'empty-body' }
  | { type: 'reset'; headers: boolean; at: Position; of: Answer }
  | { type: 'hang'; headers: boolean; at: Position; of: Answer }
  | { type: 'eof'; at: Position; of: Answer }
  | { type: 'malformed-sse'; at: Position; of: Answer }
  | { type: 'cut-json'; of: Answer }
  | { type: 'error-event'; failure: FailureKind; at: Position; of: Answer }
);

interface Cut {
  afterParts?: number;
  afterEvents?: number;
  /** The answer that goes wrong; a short text unless told. */
  of?: Answer;
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

/** Without a position: before the first byte, headers included. */
function reset(cut: Cut = {}): Fault {
  const { of = SHORT_TEXT } = cut;
  const at = position(cut, { afterParts: 0 });
  return { kind: 'fault', type: 'reset', headers: isMidway(at), at, of };
}

/** Without a position: after the headers, before the first event. `headers: false` is silent altogether. */
function hang(cut: Cut & { headers?: boolean } = {}): Fault {
  const { of = SHORT_TEXT, headers = true } = cut;
  const at = position(cut, { afterParts: 0 });
  return { kind: 'fault', type: 'hang', headers: headers || isMidway(at), at, of };
}

/** The response ends properly, the stream in it does not. Without a position: after the first event. */
function eof(cut: Cut = {}): Fault {
  const at = position(cut, { afterEvents: 1 });
  return { kind: 'fault', type: 'eof', at, of: cut.of ?? SHORT_TEXT };
}

/** One event whose data is not JSON, after the first part; the stream goes on behind it. */
function malformedSse(cut: Cut = {}): Fault {
  const at = position(cut, { afterParts: 1 });
  return { kind: 'fault', type: 'malformed-sse', at, of: cut.of ?? SHORT_TEXT };
}

/** The response ends in the middle of an event that carries a tool call. */
function cutJson(options: { of?: Answer } = {}): Fault {
  return { kind: 'fault', type: 'cut-json', of: options.of ?? ONE_CALL };
}

/** 200, the right content type, and nothing else. */
function emptyBody(): Fault {
  return { kind: 'fault', type: 'empty-body' };
}

/** The API's own error event in the middle of the stream, which ends there. */
function errorEvent(cut: Cut & { failure?: FailureKind } = {}): Fault {
  const { failure = 'overloaded', of = SHORT_TEXT } = cut;
  return { kind: 'fault', type: 'error-event', failure, at: position(cut, { afterParts: 1 }), of };
}

/** All calls of the answer have the same id. */
function duplicateIds(options: { of?: Answer; id?: string } = {}): Answer {
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
