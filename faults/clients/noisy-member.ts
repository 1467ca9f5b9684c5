import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PlannedStep, formatPlan } from '../deployment/plan.ts';
import type { Api } from './api.ts';
import { type StreamConnection, openSseStream } from './sse-stream.ts';

const UPLOAD = Buffer.alloc(4 * 1024 * 1024, 'x');
const MAX_PAUSE_MS = 1_000;

/** A 5 MB answer, and a tool with 5 MB of output. */
const PROVIDER_FLOOD: readonly PlannedStep[] = [{ chunks: 500, chunkBytes: 10_000, paceMs: 1 }];
const TOOL_FLOOD: readonly PlannedStep[] = [{ chunks: 1, call: { tool: 'flood' } }, { chunks: 1 }];

export interface NoiseOptions {
  /** Search terms. */
  readonly words: readonly string[];
  /** The model config of the flooding provider. */
  readonly modelConfigId: string;
  /** 1: 25 concurrent searches, 25 exports and reports, 15 chats, and 500 streams. */
  readonly intensity: number;
}

/**
 * A member who repeats all expensive requests concurrently. It ignores Retry-After: after a refusal, it retries within a
 * second.
 */
export class NoisyMember {
  /** Responses by request and status, such as `search 429`. */
  readonly responses = new Map<string, number>();
  readonly #api: Api;
  readonly #words: readonly string[];
  readonly #modelConfigId: string;
  readonly #intensity: number;
  readonly #stop = new AbortController();
  readonly #connections = new Set<StreamConnection>();
  readonly #activities: Promise<void>[] = [];
  #chatId = '';

  constructor(api: Api, options: NoiseOptions) {
    this.#api = api;
    this.#words = options.words;
    this.#modelConfigId = options.modelConfigId;
    this.#intensity = options.intensity;
  }

  async start(): Promise<void> {
    const { id } = await this.#api.post<{ id: string }>('/chats', {
      content: formatPlan({ id: `m-noise-${randomUUID()}`, steps: [{ chunks: 2 }] }),
      title: 'Noise',
      model_config_id: this.#modelConfigId,
    });
    this.#chatId = id;
    this.#repeat(25, 'search', () => this.#send(`/chats?q=${this.#word()}&limit=100`));
    this.#repeat(10, 'export', () => this.#send(`/chats/${this.#chatId}/export`));
    this.#repeat(5, 'usage', () => this.#send('/usage'));
    this.#repeat(10, 'upload', () => this.#upload());
    this.#repeat(10, 'provider flood', () => this.#startChat(PROVIDER_FLOOD));
    this.#repeat(5, 'tool flood', () => this.#startChat(TOOL_FLOOD));
    this.#repeat(500, 'stream', () => this.#watch());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const connection of this.#connections) connection.drop();
    await Promise.all(this.#activities);
  }

  #repeat(times: number, what: string, request: () => Promise<number>): void {
    for (let count = 0; count < times * this.#intensity; count += 1)
      this.#activities.push(this.#loop(what, request));
  }

  async #loop(what: string, request: () => Promise<number>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const status = await request().catch(() => 0);
      const key = `${what} ${status}`;
      this.responses.set(key, (this.responses.get(key) ?? 0) + 1);
      // Without a pause, fast refusals would only load the client.
      if (status === 0 || status >= 400) await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }

  #word(): string {
    return this.#words[Math.floor(Math.random() * this.#words.length)] ?? 'a';
  }

  async #send(path: string, init: RequestInit = {}): Promise<number> {
    const response = await fetch(`${this.#api.nextUrl()}/api/v1${path}`, {
      ...init,
      headers: new Headers([...new Headers(this.#api.headers), ...new Headers(init.headers)]),
      signal: this.#stop.signal,
    });
    await response.arrayBuffer();
    return response.status;
  }

  #upload(): Promise<number> {
    return this.#send(`/files?name=noise-${randomUUID()}.txt`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: UPLOAD,
    });
  }

  #startChat(steps: readonly PlannedStep[]): Promise<number> {
    const content = formatPlan({ id: `m-noise-${randomUUID()}`, steps });
    return this.#send('/chats', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content, title: 'Noise', model_config_id: this.#modelConfigId }),
    });
  }

  async #watch(): Promise<number> {
    const connection = openSseStream({
      url: this.#api.nextUrl() ?? '',
      chatId: this.#chatId,
      headers: this.#api.headers,
      cursor: undefined,
      onEvent: () => undefined,
    });
    this.#connections.add(connection);
    const { refused } = await connection.ended;
    this.#connections.delete(connection);
    return refused ?? 200;
  }
}
