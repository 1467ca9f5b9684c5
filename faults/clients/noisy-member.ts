import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PlannedStep, planText } from '../deployment/plan.ts';
import type { Api } from './api.ts';
import { type EventLine, openLine } from './event-line.ts';

const UPLOAD = Buffer.alloc(4 * 1024 * 1024, 'x');
const MOST_PAUSE_MS = 1_000;

/** An answer of 5 MB, and a tool that prints as much. */
const PROVIDER_FLOOD: readonly PlannedStep[] = [{ say: 500, bulk: 10_000, pace: 1 }];
const TOOL_FLOOD: readonly PlannedStep[] = [{ say: 1, call: { tool: 'flood' } }, { say: 1 }];

export interface NoiseOptions {
  /** To search for. */
  readonly words: readonly string[];
  /** Of the model that floods. */
  readonly modelConfigId: string;
  /** 1: 25 concurrent searches, 25 exports and reports, 15 chats at a time, 500 streams. */
  readonly intensity: number;
}

/**
 * A member who does everything expensive at once, again and again, and accepts every refusal. It ignores Retry-After: it
 * asks again within a second.
 */
export class NoisyMember {
  /** Answers by what was asked and the status. */
  readonly answers = new Map<string, number>();
  readonly #api: Api;
  readonly #words: readonly string[];
  readonly #modelConfigId: string;
  readonly #intensity: number;
  readonly #stop = new AbortController();
  readonly #lines = new Set<EventLine>();
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
      content: planText({ id: `m-noise-${randomUUID()}`, steps: [{ say: 2 }] }),
      title: 'Noise',
      model_config_id: this.#modelConfigId,
    });
    this.#chatId = id;
    this.#repeat(25, 'search', () => this.#get(`/chats?q=${this.#word()}&limit=100`));
    this.#repeat(10, 'export', () => this.#get(`/chats/${this.#chatId}/export`));
    this.#repeat(5, 'usage', () => this.#get('/usage'));
    this.#repeat(10, 'upload', () => this.#upload());
    this.#repeat(10, 'provider flood', () => this.#begin(PROVIDER_FLOOD));
    this.#repeat(5, 'tool flood', () => this.#begin(TOOL_FLOOD));
    this.#repeat(500, 'stream', () => this.#watch());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const line of this.#lines) line.drop();
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
      this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
      // A client that is refused at once would only measure itself.
      if (status === 0 || status >= 400) await sleep(Math.random() * MOST_PAUSE_MS);
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

  #get(path: string): Promise<number> {
    return this.#send(path);
  }

  #upload(): Promise<number> {
    return this.#send(`/files?name=noise-${randomUUID()}.txt`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: UPLOAD,
    });
  }

  #begin(steps: readonly PlannedStep[]): Promise<number> {
    const content = planText({ id: `m-noise-${randomUUID()}`, steps });
    return this.#send('/chats', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content, title: 'Noise', model_config_id: this.#modelConfigId }),
    });
  }

  async #watch(): Promise<number> {
    const line = openLine({
      url: this.#api.nextUrl() ?? '',
      chatId: this.#chatId,
      headers: this.#api.headers,
      cursor: undefined,
      onEvent: () => undefined,
    });
    this.#lines.add(line);
    const { refused } = await line.ended;
    this.#lines.delete(line);
    return refused ?? 200;
  }
}
