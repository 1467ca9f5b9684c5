import { type Clock, sleep, systemClock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Channel } from '../link/channel.ts';
import { type Hello, PROTOCOL, REPLACED, sendHello } from '../link/handshake.ts';
import { LinkServer, type LinkTraces, type Serve, traced } from '../link/link-server.ts';
import { serveMachine } from '../link/serve-machine.ts';
import { ConnectionRefused, dialWebSocket } from '../link/web-socket-channel.ts';
import type { OwnMachine } from '../machine.ts';

export interface MachineConnectorOptions {
  /** The address of the deployment. */
  readonly url: string;
  readonly token: string;
  readonly machine: OwnMachine;
  readonly hello: Omit<Hello, 'protocol' | 'capabilities'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly protocol?: Hello['protocol'];
  readonly traces?: LinkTraces | undefined;
  /** Default: over a WebSocket. */
  readonly dial?: typeof dialWebSocket;
}

/** Another program has connected with the same token. */
export class MachineReplaced extends Error {
  override readonly name = 'MachineReplaced';
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
/** A connection that lived for this long was a good one. */
const HEALTHY_MS = 10_000;

/** Keeps a connection to the deployment, to whichever replica answers. */
export class MachineConnector {
  readonly #options: MachineConnectorOptions;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  #link: LinkServer | undefined;
  #isDraining = false;
  /** The server may record the connection of a failed handshake later, and end a newer one of this program for it. */
  #mayReplaceItself = false;

  constructor(options: MachineConnectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves when it was closed. Throws `MachineReplaced`. */
  async run(): Promise<void> {
    const { log, random = Math.random } = this.#options;
    const { signal } = this.#stopped;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = this.#clock.now();
      const reason = await this.#connect();
      if (signal.aborted) return;
      if (reason === REPLACED && !this.#mayReplaceItself) {
        throw new MachineReplaced(
          'Another program has connected with the token of this machine. Create a separate machine for each program.',
        );
      }
      if (reason === REPLACED) this.#mayReplaceItself = false;
      failures = this.#clock.now() - startedAt > HEALTHY_MS ? 0 : failures + 1;
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      const pause = Math.round(longest * (0.5 + random() / 2));
      log.warn({ reason, retry_ms: pause }, 'not connected');
      await sleep(this.#clock, pause, signal).catch(() => undefined);
    }
  }

  /** New work waits for the next program of this machine. */
  drain(): void {
    this.#isDraining = true;
  }

  close(): void {
    this.#stopped.abort(new Error('the machine is stopping'));
    this.#link?.close('the machine is stopping');
  }

  /** Resolves with the reason why there is no connection any more. */
  async #connect(): Promise<string> {
    const { url, token, dial = dialWebSocket } = this.#options;
    try {
      const channel = await dial(connectUrl(url), {
        headers: { authorization: `Bearer ${token}` },
        signal: this.#stopped.signal,
      });
      this.#link = await this.#greet(channel);
      if (this.#stopped.signal.aborted) this.#link.close('the machine is stopping');
      return await this.#link.closed;
    } catch (error) {
      if (error instanceof ConnectionRefused)
        return `the server refused the connection (HTTP ${error.status}): ${error.message}`;
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.#link = undefined;
    }
  }

  async #greet(channel: Channel): Promise<LinkServer> {
    const { url, machine, hello, log, protocol = PROTOCOL } = this.#options;
    try {
      const greeting = { ...hello, protocol, capabilities: await machine.capabilities() };
      return await sendHello(
        channel,
        greeting,
        (welcome) => {
          log.info({ machine: welcome.machine.name, url, protocol: welcome.protocol }, 'connected');
          return new LinkServer({ channel, clock: this.#clock, serve: this.#serve() });
        },
        this.#clock,
      );
    } catch (error) {
      this.#mayReplaceItself = true;
      channel.close('the handshake failed');
      throw error;
    }
  }

  #serve(): Serve {
    const serve = traced(serveMachine(this.#options.machine), this.#options.traces);
    return async (request) => {
      if (this.#isDraining && BEGINNINGS.has(request.op)) {
        const { attach } = (request.params ?? {}) as { attach?: unknown };
        // Unanswered: the server repeats it over the next connection.
        if (attach !== true) await Promise.withResolvers().promise;
      }
      return await serve(request);
    };
  }
}

/** Operations that begin something. */
const BEGINNINGS: ReadonlySet<string> = new Set(['start', 'set_up', 'write_all', 'open']);

/** The address of the endpoint for machines. */
export function connectUrl(url: string): string {
  const endpoint = new URL(url);
  endpoint.protocol = endpoint.protocol === 'https:' ? 'wss:' : 'ws:';
  endpoint.pathname = `${endpoint.pathname.replace(/\/+$/, '')}/api/v1/machines/connect`;
  return endpoint.href;
}
