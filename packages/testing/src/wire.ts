import type { EventFrame } from './frame.ts';
import { dataOf } from './frame.ts';

/** How the events of a stream are encoded. */
export interface Wire {
  readonly contentType: string;
  bytes(frame: EventFrame): string | Uint8Array;
  /** A well-framed event with invalid JSON. */
  readonly malformed: string | Uint8Array;
}

export const serverSentEvents: Wire = {
  contentType: 'text/event-stream; charset=utf-8',
  bytes(frame) {
    if (frame.comment !== undefined) return `: ${frame.comment}\n\n`;
    const data = `data: ${dataOf(frame)}\n\n`;
    return frame.name === undefined ? data : `event: ${frame.name}\n${data}`;
  },
  malformed: 'data: {"this": is not JSON\n\n',
};
