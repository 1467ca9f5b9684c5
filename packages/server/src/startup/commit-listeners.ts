import type { Bus } from '../bus/bus.ts';
import type { Observability } from '../observability/observability.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { hintOf, type Publish } from '../store/change.ts';
import type { Streams } from '../stream/streams.ts';
import type { Worker } from '../worker/worker.ts';

/**
 * The listeners for committed changes of chats: metrics and traces, the streams, the worker, and the outbox here, other
 * replicas.
 */
export class CommitListeners {
  readonly #observability: Pick<Observability, 'committed'>;
  readonly #bus: Pick<Bus, 'publish'>;
  /** Unset until they have started. */
  streams: Pick<Streams, 'committed'> | undefined;
  worker: Pick<Worker, 'appended' | 'reserve'> | undefined;
  outbox: Pick<Outbox, 'wake'> | undefined;

  constructor(observability: Pick<Observability, 'committed'>, bus: Pick<Bus, 'publish'>) {
    this.#observability = observability;
    this.#bus = bus;
  }

  readonly notify: Publish = (change) => {
    const { id, step, entered, status } = change;
    this.#observability.committed(change);
    // Local streams and the local worker get the change itself, and need not read it.
    if (step !== undefined) this.streams?.committed(change, step);
    if (entered !== undefined) this.worker?.appended(id, entered);
    if (status !== 'running' && status !== 'interrupting') this.outbox?.wake();
    this.#bus.publish('changes', { ...hintOf(change) });
  };
}
