import type { Gate } from './gate.ts';
import type { Piece } from './parts.ts';

/** One server-sent event. */
export interface EventFrame {
  type: 'event';
  /** The SSE event name, where the API uses them. */
  name?: string;
  /** An object is sent as JSON, a string as it is. */
  data: unknown;
  /** The data as a recording has it, to the byte. */
  line?: string;
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

export function sse(frame: EventFrame): string {
  const data =
    frame.line ?? (typeof frame.data === 'string' ? frame.data : JSON.stringify(frame.data));
  return frame.name === undefined ? `data: ${data}\n\n` : `event: ${frame.name}\ndata: ${data}\n\n`;
}
