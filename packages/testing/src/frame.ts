import type { Gate } from './gate.ts';
import type { Piece } from './parts.ts';

/** One event of a stream. */
export interface EventFrame {
  type: 'event';
  /** The SSE event name, if the API uses them. */
  name?: string;
  /** An object is sent as JSON, a string unchanged. */
  data: unknown;
  /** The recorded data, byte for byte. */
  line?: string;
  /** A keep-alive comment instead of an event. */
  comment?: string;
  /** Carries model output, as counted by `afterParts`. */
  part: boolean;
}

export type StreamFrame = EventFrame | Gate;

/** The frames of a streamed part: one per delta, with gates in between. */
export function piecesToFrames(
  pieces: readonly Piece[],
  toFrame: (piece: string) => EventFrame,
): StreamFrame[] {
  return pieces.map((piece) => (typeof piece === 'string' ? toFrame(piece) : piece));
}

export function joined(pieces: readonly Piece[]): string {
  return pieces.filter((piece) => typeof piece === 'string').join('');
}

/** The data as text, byte for byte if recorded. */
export function dataOf(frame: EventFrame): string {
  return frame.line ?? (typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data));
}
