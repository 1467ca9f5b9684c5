import type { Clock } from '@chatd/loop';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallId } from './fetch/streams-of-calls.ts';

export interface OpenCall {
  /** Aborted when no answer can come any more. */
  readonly cut: AbortSignal;
}

interface Entry extends OpenCall {
  readonly controller: AbortController;
  id: CallId | undefined;
  /** The stream that was to bring the answer has ended. */
  lost: boolean;
  cancel: () => void;
}

/** Calls that wait for their answer, and whether it can still come. */
export class OpenCalls {
  readonly #clock: Clock;
  readonly #resumeMs: number;
  readonly #open = new Set<Entry>();
  #sending: Entry | undefined;

  constructor(clock: Clock, resumeMs: number) {
    this.#clock = clock;
    this.#resumeMs = resumeMs;
  }

  /** Learns under which id the client sends a call. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (this.#sending !== undefined && 'id' in message) this.#sending.id = message.id;
      return send(message, options);
    };
  }

  begin(): OpenCall {
    const controller = new AbortController();
    const entry: Entry = {
      controller,
      cut: controller.signal,
      id: undefined,
      lost: false,
      cancel: () => undefined,
    };
    this.#open.add(entry);
    return entry;
  }

  /** The client sends at once, while it is asked. */
  sending<T>(call: OpenCall, ask: () => Promise<T>): Promise<T> {
    this.#sending = call as Entry;
    try {
      return ask();
    } finally {
      this.#sending = undefined;
    }
  }

  end(call: OpenCall): void {
    const entry = call as Entry;
    this.#open.delete(entry);
    entry.cancel();
  }

  /** Its answer has come by then, or comes on another way, or not at all. */
  streamEnded(id: CallId, resumable: boolean): void {
    const entry = [...this.#open].find((one) => one.id === id);
    if (entry === undefined) return;
    entry.lost = true;
    entry.cancel = this.#clock.after(resumable ? this.#resumeMs : GRACE_MS, () => cut(entry));
  }

  /** No other way will be found. */
  cutLost(): void {
    for (const entry of this.#open) if (entry.lost) cut(entry);
  }
}

/** What was read is worked through before the end of its stream counts. */
const GRACE_MS = 250;

const cut = ({ controller }: Entry) => controller.abort(new Error('its stream has ended'));
