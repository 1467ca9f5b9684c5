import type { Gate } from './gate.ts';
import type { Piece } from './parts.ts';

/** One event of a stream. */
export interface EventFrame {
  type: 'event';
  /** The SSE event name, where the API uses them. */
  name?: string;
  /** An object is sent as JSON, a string as it is. */
  data: unknown;
  /** The data as a recording has it, to the byte. */
  line?: string;
  /** Sent instead of an event: what keeps a connection alive, and means nothing. */
  comment?: string;
  /** Carries content of the model: what `afterParts` counts. */
  part: boolean;
}

export type Frame = EventFrame | Gate;

/** The frames of a streamed part: one per piece, gates where they stand. */
export function piecesToFrames(
  pieces: readonly Piece[],
  toFrame: (piece: string) => EventFrame,
): Frame[] {
  return pieces.map((piece) => (typeof piece === 'string' ? toFrame(piece) : piece));
}

export function joined(pieces: readonly Piece[]): string {
  return pieces.filter((piece) => typeof piece === 'string').join('');
}

/** The data as text, to the byte where it was recorded. */
export function dataOf(frame: EventFrame): string {
  return frame.line ?? (typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data));
}
