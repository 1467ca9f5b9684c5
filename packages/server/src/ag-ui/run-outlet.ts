import { EventFrame } from '../stream/event-frame.ts';
import { ForwardingOutlet } from '../stream/forwarding-outlet.ts';
import type { Ending, Outlet } from '../stream/outlet.ts';
import type { PreparedStream } from '../stream/streams.ts';
import type { AgUiEvent } from './events.ts';
import type { RunEvents, Snapshot } from './run-events.ts';

export interface RunStreamOptions {
  readonly run: RunEvents;
  /** The events of a snapshot. */
  readonly read: (snapshot: Snapshot) => Promise<readonly AgUiEvent[]>;
  readonly onError: (error: unknown) => void;
  /** The client has closed the connection before the run ended. */
  readonly onAbort: () => void;
}

/** The stream of a chat as the events of a run. */
export const runStream = (joining: PreparedStream, options: RunStreamOptions): PreparedStream => ({
  cancel: () => {
    joining.cancel();
    options.onAbort();
  },
  open: (outlet) => {
    const encoding = new RunOutlet(outlet, options);
    encoding.start();
    joining.open(encoding);
  },
});

/** Events that follow a snapshot wait until it has been read. */
class RunOutlet extends ForwardingOutlet {
  readonly #options: RunStreamOptions;
  readonly #pending: (AgUiEvent | Snapshot)[] = [];
  #isReading = false;
  #closedByServer = false;

  constructor(outlet: Outlet, options: RunStreamOptions) {
    super(outlet);
    this.#options = options;
  }

  start(): void {
    const { run, onAbort } = this.#options;
    this.outlet.onClosed(() => {
      if (!run.over && !this.#closedByServer) onAbort();
    });
    this.#pending.push(...run.start());
    this.#flush();
  }

  write(frame: EventFrame): void {
    const { run } = this.#options;
    if (run.over) return;
    for (const event of frame.payloads) this.#pending.push(...run.take(event));
    if (!this.#isReading) this.#flush();
  }

  /** Aborts the connection of an unfinished run: the client would take a regular end for the end of the run. */
  override close(ending: Ending): void {
    this.#closedByServer = true;
    const { over } = this.#options.run;
    if (over && this.#isReading) return;
    super.close(over ? ending : 'slow');
  }

  #flush(): void {
    const at = this.#pending.findIndex((event) => 'upTo' in event);
    const ready = this.#pending.splice(0, at < 0 ? this.#pending.length : at);
    this.#send(ready as AgUiEvent[]);
    const snapshot = this.#pending.shift() as Snapshot | undefined;
    if (snapshot !== undefined) void this.#read(snapshot);
    else if (this.#options.run.over) super.close('complete');
  }

  async #read(snapshot: Snapshot): Promise<void> {
    this.#isReading = true;
    try {
      this.#send(await this.#options.read(snapshot));
      this.#isReading = false;
      this.#flush();
    } catch (error) {
      this.#options.onError(error);
      this.#closedByServer = true;
      super.close('slow');
    }
  }

  #send(events: readonly AgUiEvent[]): void {
    if (events.length === 0) return;
    this.outlet.write(new EventFrame(events.map((event) => ({ json: JSON.stringify(event) }))));
  }
}
