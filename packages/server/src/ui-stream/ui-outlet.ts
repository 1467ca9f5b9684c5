import { encodedStream } from '../protocols/turn-stream.ts';
import type { EncodedEvent } from '../stream/event-frame.ts';
import type { PreparedStream } from '../stream/streams.ts';
import type { UiTurn } from './ui-turn.ts';

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** Marks a complete stream for front ends. */
const DONE: EncodedEvent = { json: '[DONE]' };

/** The stream of a chat as the UI message stream of one turn. */
export const asUiStream = (joining: PreparedStream, turn: UiTurn): PreparedStream => ({
  headers: HEADERS,
  ...encodedStream(joining, {
    get over() {
      return turn.over;
    },
    take: ({ payloads }) => {
      const chunks = payloads.flatMap((event) => turn.take(event));
      const encoded = chunks.map(({ chunk, place }): EncodedEvent => {
        return { json: JSON.stringify(chunk), cursor: place };
      });
      return turn.over ? [...encoded, DONE] : encoded;
    },
  }),
});
