import type { Clock } from '@chatd/loop';
import type { Transport } from '@modelcontextprotocol/client';
import type { CallId } from './fetch/call-streams.ts';

export interface OpenCall {
  /**
   * Aborted when the call is canceled or cannot get a response any more. Never after the call has ended: the client
   * would tell the server to cancel it.
   */
  readonly signal: AbortSignal;
  /** Fails the call: no response can arrive. */
  readonly isCut: boolean;
}

interface Entry extends OpenCall {
  readonly controller: AbortController;
  readonly args: object;
  id: CallId | undefined;
  /** The stream for the response has ended. */
  lost: boolean;
  isCut: boolean;
  cancel: () => void;
  release: () => void;
}

/** Calls that wait for a response, and whether it can still arrive. */
export class OpenCalls {
  readonly #clock: Clock;
  readonly #resumeMs: number;
  readonly #open = new Set<Entry>();

  constructor(clock: Clock, resumeMs: number) {
    this.#clock = clock;
    this.#resumeMs = resumeMs;
  }

  /** Learns the request id of a call, by the identity of its arguments. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if ('id' in message && 'params' in message) {
        const args = message.params?.['arguments'];
        const entry = [...this.#open].find((one) => one.args === args);
        if (entry !== undefined) entry.id = message.id;
      }
      return send(message, options);
    };
  }

  begin(canceled: AbortSignal, args: object): OpenCall {
    const controller = new AbortController();
    const stop = () => controller.abort(canceled.reason);
    canceled.addEventListener('abort', stop, { once: true });
    const entry: Entry = {
      controller,
      args,
      signal: controller.signal,
      id: undefined,
      lost: false,
      isCut: false,
      cancel: () => undefined,
      release: () => canceled.removeEventListener('abort', stop),
    };
    this.#open.add(entry);
    return entry;
  }

  end(call: OpenCall): void {
    const entry = call as Entry;
    this.#open.delete(entry);
    entry.cancel();
    entry.release();
  }

  /** By then the response has arrived, comes on another stream, or will not come. */
  streamEnded(id: CallId, resumable: boolean): void {
    const entry = [...this.#open].find((one) => one.id === id);
    if (entry === undefined) return;
    entry.lost = true;
    entry.cancel = this.#clock.after(resumable ? this.#resumeMs : GRACE_MS, () => cut(entry));
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** There is no other stream. */
  cutLost(): void {
    for (const entry of this.#open) if (entry.lost) cut(entry);
  }

  cutAll(): void {
    for (const entry of this.#open) cut(entry);
  }
}

/** Received messages are processed before the end of their stream. */
const GRACE_MS = 250;

function cut(entry: Entry): void {
  entry.isCut = true;
  entry.controller.abort(new Error('the connection was closed'));
}
