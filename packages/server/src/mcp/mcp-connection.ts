import { type Clock, sleep } from '@chatd/loop';
import type {
  CallToolResult,
  Client,
  PriorDiscovery,
  Progress,
  SseError as SdkSseError,
} from '@modelcontextprotocol/client';
import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import { knownSecrets } from '../secrets/secret-values.ts';
import type { McpAccess } from './access.ts';
import { McpFailure } from './mcp-failure.ts';
import type { Fetch } from './fetch/mcp-fetch.ts';
import { openTransport, type OpenedTransport } from './open-transport.ts';
import { OpenCalls } from './open-calls.ts';
import type { ServerEra } from './protocol-eras.ts';
import { listTools } from './tools/list-tools.ts';
import type { ToolList } from './tools/server-tool.ts';

export interface Timing {
  /** Time limit for connecting, including listing the tools. */
  readonly connectMs: number;
  /** Idle time after which the connection is closed. */
  readonly idleMs: number;
  /** Delay after the first failure to connect. Doubles with each further failure. */
  readonly backoffMs: number;
  readonly longestBackoffMs: number;
  /** How long a call waits for the next attempt to connect. */
  readonly patienceMs: number;
  /** How long to wait for a response on another stream after its own was closed. */
  readonly resumeMs: number;
}

export const TIMING: Timing = {
  connectMs: 60_000,
  idleMs: 15 * 60_000,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  patienceMs: 5000,
  resumeMs: 30_000,
};

export interface McpConnectionOptions {
  readonly name: string;
  readonly version: string;
  readonly timeoutMs: number;
  /** Read for each connection, because keys change. */
  readonly access: () => Promise<McpAccess>;
  readonly fetch: Fetch;
  /** Which revisions the server supports, if known. */
  readonly era: ServerEra;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly log: Logger;
  /** Called when the tools were listed: first, and after each change. */
  readonly onOffer?: (toolList: ToolList) => void;
  readonly onFailure?: () => void;
  /** The server may keep state for this connection until `onClose`. */
  readonly onOpen?: () => void;
  readonly onClose?: () => void;
  /** Called when the connection was closed because it was idle. */
  readonly onIdle?: () => void;
}

export interface McpToolCall {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface Opened {
  readonly client: Client;
  readonly opening: OpenedTransport;
  readonly calls: OpenCalls;
  readonly isStateful: boolean;
  toolList: ToolList;
  /** Takes no new calls. Running ones may finish. */
  retired: boolean;
  /** Tools are being listed. `again`: they have changed since. */
  listing: { again: boolean; readonly done: Promise<void> } | undefined;
}

/** An MCP client for one chat. It connects on first use, reconnects with backoff, and disconnects when idle. */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  readonly #closed = new AbortController();
  #opened: Opened | undefined;
  #opening: Promise<Opened> | undefined;
  #failures = 0;
  #notBefore = 0;
  #lastFailure: McpFailure | undefined;
  #running = 0;
  #usedAt = 0;
  #cancelIdle: (() => void) | undefined;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  get known(): ToolList | undefined {
    return this.#opened?.toolList;
  }

  /** The current tools of the server, if connected. Waits for a list in progress, up to a limit. */
  async latest(): Promise<ToolList | undefined> {
    const listing = this.#opened?.listing;
    if (listing !== undefined) {
      const { clock, timing } = this.#options;
      const waited = new AbortController();
      const late = sleep(clock, timing.patienceMs, waited.signal).catch(() => undefined);
      await Promise.race([listing.done, late]);
      waited.abort();
    }
    return this.known;
  }

  /** When the connection became idle. Undefined: a call is running. */
  idleSince(): number | undefined {
    return this.#running > 0 || this.#opening !== undefined ? undefined : this.#usedAt;
  }

  async rest(): Promise<void> {
    if (this.#opened !== undefined) await this.#endSession(this.#opened);
  }

  async toolList(): Promise<ToolList> {
    this.#use();
    return (await this.#open()).toolList;
  }

  /** Starts the call at most once, unless the server has provably not acted on it. */
  async call(
    tool: string,
    args: { [key: string]: Json },
    call: McpToolCall,
  ): Promise<CallToolResult> {
    this.#running += 1;
    try {
      for (let again = false; ; again = true) {
        const opened = await cancellable(this.#open(), call.signal);
        try {
          return await this.#ask(opened, tool, args, call);
        } catch (error) {
          call.signal.throwIfAborted();
          const failure = await this.#explained(error, opened.opening);
          if (failure.lost) this.#retire(opened);
          if (again || !failure.harmless) throw failure;
        }
      }
    } finally {
      this.#running -= 1;
      this.#use();
    }
  }

  /** Closes for good. `why` is reported to a turn that still uses it. */
  async close(why = 'chatd is stopping'): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new McpFailure(`${this.#options.name} is not available: ${why}.`));
    this.#cancelIdle?.();
    const opened = this.#opened ?? (await this.#opening?.catch(() => undefined));
    if (opened !== undefined) await this.#endSession(opened);
  }

  async #ask(
    opened: Opened,
    tool: string,
    args: { [key: string]: Json },
    { signal, onProgress }: McpToolCall,
  ): Promise<CallToolResult> {
    const { client, calls, toolList } = opened;
    const { name, timeoutMs } = this.#options;
    const given = { ...args };
    const open = calls.begin(signal, given);
    const { inputSchema = {} } = toolList.tools.find((one) => one.name === tool) ?? {};
    try {
      return await client.callTool(
        { name: tool, arguments: given },
        {
          signal: open.signal,
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          onprogress: onProgress,
          // The schema names the arguments that are also sent as headers. Without an output schema, results are not checked.
          toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } },
        },
      );
    } catch (error) {
      if (!open.isCut) throw error;
      throw new McpFailure(
        `The call of ${name} failed: the connection was closed before the response.`,
        {
          lost: true,
          unsure: true,
          cause: error,
        },
      );
    } finally {
      calls.end(open);
      if (opened.retired) this.#retire(opened);
    }
  }

  #open(): Promise<Opened> {
    if (this.#opened !== undefined) return Promise.resolve(this.#opened);
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #connect(): Promise<Opened> {
    const { clock, timing, log, name, onOffer, onFailure } = this.#options;
    this.#closed.signal.throwIfAborted();
    const pause = this.#notBefore - clock.now();
    if (pause > timing.patienceMs) throw this.#notYet(pause);
    if (pause > 0) await sleep(clock, pause, this.#closed.signal);
    try {
      const opened = await this.#reach();
      this.#failures = 0;
      this.#opened = opened;
      if (opened.isStateful) this.#options.onOpen?.();
      onOffer?.(opened.toolList);
      this.#use();
      return opened;
    } catch (error) {
      if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
      const failure = await explained(error, name, `Connecting to ${name} failed`);
      const delay = timing.backoffMs * 2 ** this.#failures;
      this.#failures += 1;
      this.#notBefore = clock.now() + Math.min(delay, timing.longestBackoffMs);
      this.#lastFailure = failure;
      onFailure?.();
      this.#use();
      log.warn(
        { mcp_server: name, failures: this.#failures, reason: failure.message },
        'connecting to an MCP server failed',
      );
      throw failure;
    }
  }

  /** With the newest revision that the server supports. Servers that fail at the question are asked as older ones. */
  async #reach(): Promise<Opened> {
    const { era, name } = this.#options;
    const known = era.get();
    try {
      return await this.#attempt(known);
    } catch (error) {
      era.put(undefined);
      const failure = await explained(error, name, `Connecting to ${name} failed`);
      // Otherwise it was not reached, or did not respond at all.
      if (known !== undefined || !failure.unsure || this.#closed.signal.aborted) throw failure;
      return await this.#attempt({ kind: 'legacy' });
    }
  }

  async #attempt(known: PriorDiscovery | undefined): Promise<Opened> {
    const { access, fetch, version, clock, timing, name, era } = this.#options;
    const calls = new OpenCalls(clock, timing.resumeMs);
    const sdk = await import('@modelcontextprotocol/client');
    const opening = await openTransport(await access(), fetch, (id, resumable) =>
      calls.streamEnded(id, resumable),
    );
    const probe = opening.isProgram ? { timeoutMs: PROBE_MS } : {};
    const client = new sdk.Client(
      { name: 'chatd', version },
      { capabilities: {}, versionNegotiation: { mode: 'auto', probe } },
    );
    // Its own signal, never aborted later: the client would cancel a request that has already ended.
    const connecting = new AbortController();
    const { signal } = connecting;
    const stop = () => connecting.abort(this.#closed.signal.reason);
    this.#closed.signal.addEventListener('abort', stop, { once: true });
    const cancel = clock.after(timing.connectMs, () =>
      connecting.abort(
        new McpFailure(`Connecting to ${name} failed: it does not respond.`, { lost: true }),
      ),
    );
    const limits = { signal, timeout: timing.connectMs + 1000 };
    const prior = opening.isLegacy ? { kind: 'legacy' as const } : known;
    try {
      calls.watch(opening.transport);
      const connected = client.connect(opening.transport, {
        ...limits,
        ...(prior !== undefined && { prior }),
      });
      await cancellable(connected, signal);
      const toolList = await listTools(client, limits);
      const opened: Opened = {
        client,
        opening,
        calls,
        isStateful: opening.isStateful(),
        toolList,
        retired: false,
        listing: undefined,
      };
      this.#watch(opened, sdk);
      if (client.transport === undefined) throw new Error('it closed the connection');
      const discover = client.getDiscoverResult();
      if (known === undefined || known.kind === 'legacy') {
        era.put(discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover });
      }
      return opened;
    } catch (error) {
      client.close().catch(() => undefined);
      opening.transport.close().catch(() => undefined);
      signal.throwIfAborted();
      throw withStderr(await explained(error, name, `Connecting to ${name} failed`), opening);
    } finally {
      cancel();
      this.#closed.signal.removeEventListener('abort', stop);
    }
  }

  /** Watches for the end of the connection and for changed tools. */
  #watch(opened: Opened, { SseError }: { readonly SseError: typeof SdkSseError }): void {
    const { client, calls } = opened;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client of the SDK is no event target
    client.onclose = () => this.#forget(opened);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the same
    client.onerror = (error) => {
      this.#options.log.debug({ mcp_server: this.#options.name, err: error }, 'MCP');
      // The older transport reports the end of its stream as an error.
      if (error instanceof SseError) {
        // All responses use one stream.
        calls.cutAll();
        void this.#drop(opened);
      } else if (isEndOfRetries(error)) {
        calls.cutLost();
        this.#retire(opened);
      }
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#relist(opened));
    const isModern = client.getProtocolEra() === 'modern';
    if (isModern && client.getServerCapabilities()?.tools?.listChanged === true) {
      void this.#subscribe(opened);
    }
  }

  /** Since 2026-07-28, servers report changes only to subscribers. */
  async #subscribe(opened: Opened): Promise<void> {
    const { name, log, clock, timing } = this.#options;
    try {
      for (;;) {
        const { closed } = await opened.client.listen({ toolsListChanged: true });
        if ((await closed) === 'local') return;
        await sleep(clock, timing.backoffMs, this.#closed.signal);
        if (this.#opened !== opened) return;
        await this.#relist(opened);
      }
    } catch (error) {
      log.debug({ mcp_server: name, err: error }, 'an MCP server does not report changed tools');
    }
  }

  /** One list at a time, however often the server reports changes. */
  async #relist(opened: Opened): Promise<void> {
    const { name, log, onOffer, timing } = this.#options;
    if (opened.listing !== undefined) {
      opened.listing.again = true;
      return;
    }
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const listing = { again: false, done };
    opened.listing = listing;
    try {
      do {
        listing.again = false;
        opened.toolList = await listTools(opened.client, { timeout: timing.connectMs });
      } while (listing.again);
      if (this.#opened === opened) onOffer?.(opened.toolList);
    } catch (error) {
      log.warn({ mcp_server: name, err: error }, 'listing the tools of an MCP server failed');
    } finally {
      opened.listing = undefined;
      resolve();
    }
  }

  async #explained(error: unknown, opening: OpenedTransport): Promise<McpFailure> {
    const { name } = this.#options;
    const failure = await explained(error, name, `The call of ${name} failed`);
    const told = failure.lost ? withStderr(failure, opening) : failure;
    return told.unsure ? added(told, UNSURE) : told;
  }

  #notYet(pause: number): McpFailure {
    const why = this.#lastFailure?.message ?? `${this.#options.name} is not available.`;
    const seconds = Math.ceil(pause / 1000);
    return new McpFailure(`${why} Next attempt in ${seconds} s.`, { lost: true });
  }

  #forget(opened: Opened): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    if (opened.isStateful) this.#options.onClose?.();
  }

  /** New calls get another connection. This one closes after its last call. */
  #retire(opened: Opened): void {
    this.#forget(opened);
    opened.retired = true;
    if (opened.calls.isEmpty) void this.#drop(opened);
  }

  async #drop(opened: Opened): Promise<void> {
    this.#forget(opened);
    await opened.client.close().catch(() => undefined);
  }

  async #endSession(opened: Opened): Promise<void> {
    this.#forget(opened);
    opened.calls.cutAll();
    const { clock } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(LEAVE_MS, () => late.abort(new Error('too late')));
    await cancellable(opened.opening.endSession(), late.signal).catch(() => undefined);
    cancel();
    await opened.client.close().catch(() => undefined);
  }

  /** Restarts the idle timer, if no call is running. */
  #use(): void {
    this.#cancelIdle?.();
    const { clock, timing, onIdle } = this.#options;
    this.#usedAt = clock.now();
    if (this.#closed.signal.aborted || this.#running > 0) return;
    this.#cancelIdle = clock.after(timing.idleMs, () => {
      if (this.#running > 0 || this.#opening !== undefined) return;
      if (this.#opened !== undefined) void this.#endSession(this.#opened);
      onIdle?.();
    });
  }
}

const LEAVE_MS = 1000;

/** Older programs may ignore the question which revisions they support. Answers are not waited for any longer. */
const PROBE_MS = 3000;

/** The SDK is loaded with the first connection. */
async function explained(error: unknown, server: string, doing: string): Promise<McpFailure> {
  const { explain } = await import('./explain.ts');
  return explain(error, server, doing);
}

/** From streamable HTTP, which reports it only in the message. */
const isEndOfRetries = (error: Error): boolean =>
  error.message.startsWith('Maximum reconnection attempts');

const UNSURE = 'The server may or may not have performed it. Check before you repeat it.';

function withStderr(failure: McpFailure, opening: OpenedTransport): McpFailure {
  const words = knownSecrets.hideParts(opening.stderrTail());
  return words === '' ? failure : added(failure, `Last output: ${words}`);
}

const added = (failure: McpFailure, sentence: string): McpFailure =>
  new McpFailure(`${failure.message} ${sentence}`, failure);

/** Rejects with the abort reason if the signal is aborted first. */
async function cancellable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
