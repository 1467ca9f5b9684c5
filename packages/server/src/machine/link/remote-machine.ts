import type { Connection } from '../drivers/driver.ts';
import type {
  AcceptRequest,
  HostedSpec,
  HostedWorkspace,
  JournaledCall,
  MachineCapabilities,
  OwnMachine,
  SetupRequest,
  SetupResult,
} from '../machine.ts';
import { MachineOffline } from '../machine.ts';
import { LinkLost } from './channel.ts';
import type { LinkClient, RequestOptions } from './link-client.ts';
import { type OperationName, type Params, parsed, type Result, SetupEnd } from './operations.ts';
import { type MachineLinks, RemoteWorkspace } from './remote-workspace.ts';
import { streamedConnection } from './streamed-connection.ts';

/** Finds the way to a machine, again after each lost connection. */
export interface LinkSource {
  /** An open link, or the next one. Throws `MachineOffline` if there is none within `waitMs`. */
  link(options: {
    readonly waitMs: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<LinkClient>;
}

export interface RemoteMachineOptions {
  readonly id: string;
  readonly name: string;
  readonly source: LinkSource;
  /** How long requests wait for a machine that is not connected. */
  readonly waitMs?: number;
  /** Called when a command is followed over another connection. */
  readonly onReattach?: () => void;
}

const WAIT_MS = 20_000;
/** Lost connections after which a request fails. */
const MAX_TRIES = 5;
/** Setup output that is not repeated after a lost connection. Longer output is cut in the middle. */
const REPLAYED_BYTES = 8 * 1024;

/** Time limit for questions of the server itself: a machine that does not answer delays nothing else. */
const OWN_MS = 30_000;
/** Time limit for ending processes and deleting files, which go on after it. */
const END_MS = 5 * 60_000;
const soon = () => ({ signal: AbortSignal.timeout(OWN_MS) });

/** A machine behind links, of which one may follow the other. */
export class RemoteMachine implements OwnMachine, MachineLinks {
  readonly id: string;
  readonly name: string;
  readonly #options: RemoteMachineOptions;
  readonly #open = new Map<string, RemoteWorkspace>();

  constructor(options: RemoteMachineOptions) {
    this.id = options.id;
    this.name = options.name;
    this.#options = options;
  }

  /** Follows the setup until `signal` is aborted, over as many connections as it takes. */
  async setUp({ signal, onOutput, ...params }: SetupRequest): Promise<SetupResult> {
    let received = 0;
    for (;;) {
      signal.throwIfAborted();
      const link = await this.link(signal, Infinity);
      let skip = received > REPLAYED_BYTES ? 0 : received;
      const { promise, resolve, reject } = Promise.withResolvers<SetupResult>();
      const followed = link.open('set_up', params, {
        signal,
        onData(bytes) {
          const fresh = bytes.subarray(skip);
          skip -= bytes.length - fresh.length;
          received += fresh.length;
          if (fresh.length > 0) onOutput(fresh);
        },
        onEnd: (end) => {
          if ('error' in end) return reject(end.error);
          const result = SetupEnd.safeParse(end.value);
          if (result.success) resolve(result.data);
          else reject(new Error('The machine gave an invalid answer to set_up.'));
        },
      });
      try {
        const { stream } = await followed;
        const leave = () => {
          stream.leave();
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave, { once: true });
        return await promise.finally(() => signal.removeEventListener('abort', leave));
      } catch (error) {
        promise.catch(() => undefined);
        if (!(error instanceof LinkLost)) throw error;
      }
    }
  }

  async open(spec: HostedSpec): Promise<HostedWorkspace> {
    const known = this.#open.get(spec.id);
    if (known !== undefined && !known.isClosed()) return known;
    return await this.#retry(async (link) => {
      const opened = await this.#opened(link, 'open', { spec });
      if (opened === undefined) throw new Error('The machine did not open the workspace.');
      return opened;
    });
  }

  async peek(workspace: string): Promise<HostedWorkspace | undefined> {
    const known = this.#open.get(workspace);
    if (known?.isClosed() === false) return known;
    return await this.#retry((link) => this.#opened(link, 'peek', { workspace }));
  }

  async accept({ workspaceId, hosts, handlers, signal }: AcceptRequest): Promise<Connection> {
    const link = await this.link(signal, 0);
    const params = { workspace: workspaceId, hosts: [...hosts] };
    return await streamedConnection(link, 'accept', params, handlers, signal);
  }

  async stop(spec: HostedSpec): Promise<void> {
    await this.request('stop', { spec }, { signal: AbortSignal.timeout(END_MS) });
  }

  async remove(spec: HostedSpec): Promise<void> {
    await this.request('remove', { spec }, { signal: AbortSignal.timeout(END_MS) });
  }

  /** Repeated on the next link if the connection is lost. */
  async request<Name extends OperationName>(
    op: Name,
    params: Params<Name>,
    options: RequestOptions = {},
  ): Promise<{ readonly result: Result<Name>; readonly bytes: Buffer }> {
    return await this.#retry(
      async (link) => parsed(op, await link.request(op, params, options)),
      options.signal,
    );
  }

  async link(signal?: AbortSignal, waitMs = this.#options.waitMs ?? WAIT_MS): Promise<LinkClient> {
    return await this.#options.source.link({ waitMs, signal });
  }

  reattached(): void {
    this.#options.onReattach?.();
  }

  async capabilities(): Promise<MachineCapabilities> {
    return (await this.request('capabilities', {}, soon())).result;
  }

  async workspaces(): Promise<readonly string[]> {
    return (await this.request('workspaces', {}, soon())).result;
  }

  async calls(): Promise<readonly JournaledCall[]> {
    return (await this.request('calls', {}, soon())).result;
  }

  async settle(calls: readonly string[]): Promise<void> {
    await this.request('settle', { calls: [...calls] }, soon());
  }

  /** The message for people whose request was cut off. */
  cutOff(): MachineOffline {
    return new MachineOffline(`The connection to the machine ${this.name} was lost. Try again.`);
  }

  async #retry<T>(act: (link: LinkClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      const link = await this.link(signal);
      try {
        return await act(link);
      } catch (error) {
        if (!(error instanceof LinkLost)) throw error;
        if (tries === MAX_TRIES) throw this.cutOff();
      }
    }
  }

  async #opened(
    link: LinkClient,
    op: 'open' | 'peek',
    params: Params<'open'> | Params<'peek'>,
  ): Promise<RemoteWorkspace | undefined> {
    const ended = Promise.withResolvers<{ value: unknown } | { error: Error }>();
    const answer = await link.open(op, params, { onEnd: ended.resolve });
    const { result } = parsed(op, answer);
    if (result === null) return undefined;
    const wanted = 'spec' in params ? params.spec.id : params.workspace;
    if (result.workspace !== wanted) throw new Error('The machine opened another workspace.');
    // Opened by two callers at once.
    const known = this.#open.get(result.workspace);
    const workspace =
      known?.instance === result.instance && !known.isClosed()
        ? known
        : new RemoteWorkspace(this, result);
    if (known !== undefined && known !== workspace) known.end('it was replaced');
    this.#open.set(result.workspace, workspace);
    workspace.attach(link, ended.promise);
    const forget = () => {
      if (this.#open.get(workspace.id) === workspace) this.#open.delete(workspace.id);
    };
    void workspace.closed.then(forget);
    return workspace;
  }
}
