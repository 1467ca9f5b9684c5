import type { Drivers, Sandbox } from '../drivers/driver.ts';
import type { HostedSpec, SetupRequest, SetupResult } from '../machine.ts';
import { OutputBuffer } from '../processes/output-buffer.ts';
import { runSetup } from '../setup/run-setup.ts';
import { whenAborted } from '../when-aborted.ts';

const CAPS = { head: 8 * 1024, tail: 56 * 1024 };
/** Results that are kept for a server that did not get them. */
const ENDED_KEPT = 100;

interface Setup {
  readonly attempt: string;
  readonly log: OutputBuffer;
  readonly listeners: Set<(bytes: Uint8Array) => void>;
  readonly stop: AbortController;
  readonly result: Promise<SetupResult>;
  ended: boolean;
}

/** A later attempt has started. */
class SetupReplaced extends Error {
  override readonly name = 'SetupReplaced';

  constructor() {
    super('The setup was started again meanwhile.');
  }
}

/** The setups of workspaces on this machine. Each attempt runs once, however many callers follow it. */
export class LocalSetups {
  readonly #drivers: Drivers;
  readonly #prepare: (spec: HostedSpec, sandbox: Sandbox) => Promise<void>;
  readonly #all = new Map<string, Setup>();

  /** `prepare` is called with the sandbox of each setup. */
  constructor(
    drivers: Drivers,
    prepare: (spec: HostedSpec, sandbox: Sandbox) => Promise<void> = async () => {},
  ) {
    this.#drivers = drivers;
    this.#prepare = prepare;
  }

  async run(request: SetupRequest): Promise<SetupResult> {
    const { spec, attempt, signal, onOutput } = request;
    signal.throwIfAborted();
    const known = this.#all.get(spec.id);
    // A replica that was cut off may ask for an attempt that a later one has replaced.
    if (known !== undefined && known.attempt > attempt) throw new SetupReplaced();
    if (known !== undefined && known.attempt < attempt) await this.stop(spec.id);
    const setup = this.#all.get(spec.id) ?? this.#begin(request);
    const sofar = setup.log.text();
    if (sofar !== '') onOutput(Buffer.from(sofar));
    setup.listeners.add(onOutput);
    const left = whenAborted(signal);
    try {
      const result = await Promise.race([setup.result, left.promise]);
      signal.throwIfAborted();
      if (result === 'aborted') throw new Error('the setup is no longer followed');
      return result;
    } finally {
      left.release();
      setup.listeners.delete(onOutput);
    }
  }

  /** Ends the setup of a workspace, and forgets its result. */
  async stop(workspaceId: string): Promise<void> {
    const setup = this.#all.get(workspaceId);
    setup?.stop.abort(new Error('The setup was stopped.'));
    await setup?.result;
    if (this.#all.get(workspaceId) === setup) this.#all.delete(workspaceId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all.keys()].map((id) => this.stop(id)));
  }

  #begin({ spec, definition, files, attempt }: SetupRequest): Setup {
    const log = new OutputBuffer(CAPS);
    const listeners = new Set<(bytes: Uint8Array) => void>();
    const stop = new AbortController();
    const result = runSetup({
      driver: this.#drivers[spec.driver],
      spec,
      definition,
      files,
      signal: stop.signal,
      prepare: (sandbox) => this.#prepare(spec, sandbox),
      onOutput(bytes) {
        log.push(bytes);
        for (const listener of listeners) listener(bytes);
      },
    }).then(
      (baselines): SetupResult => ({ ok: true, baselines }),
      (error: unknown): SetupResult => ({
        ok: false,
        error: error instanceof Error ? error.message : String(error),
      }),
    );
    const setup: Setup = { attempt, log, listeners, stop, result, ended: false };
    this.#all.set(spec.id, setup);
    void this.#whenEnded(setup);
    return setup;
  }

  async #whenEnded(setup: Setup): Promise<void> {
    await setup.result;
    setup.ended = true;
    this.#prune();
  }

  #prune(): void {
    const ended = [...this.#all].filter(([, setup]) => setup.ended);
    for (const [id] of ended.slice(0, Math.max(0, ended.length - ENDED_KEPT))) this.#all.delete(id);
  }
}
