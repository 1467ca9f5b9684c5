import type { Clock } from '@chatd/loop';
import { type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import { refusalIn } from '../../providers/fetch/refusals.ts';
import type { KeptResponse, ResponseCache } from './response-cache.ts';

export interface ApiClientOptions {
  /** For messages. */
  readonly host: string;
  readonly baseUrl: string;
  readonly accept: string;
  /** The header of each request. Rejects with `Refused`. */
  readonly authorization: () => Promise<string>;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly cache: ResponseCache;
}

/** How long a response is used without asking again, so that all who look share one request. */
const FRESH_MS = 10_000;
const MAX_PAGES = 5;
const MAX_BYTES = 8 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** A host cannot ask for a longer pause. */
const MAX_PAUSE_MS = 60 * 60_000;

let clients = 0;

/** The repository or a part of it does not exist, or the token may not read it. */
class NoAccess extends Refused {
  constructor(detail: string) {
    super('git_host_refused', detail);
  }
}

/** Requests to the REST API of a git host. Responses are revalidated with their ETags: a 304 costs no rate limit. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  /** Of its responses in the cache. */
  readonly #id = ++clients;
  readonly #open = new Map<string, Promise<KeptResponse>>();
  #changes = 0;
  /** Until when the host refuses requests. */
  #pausedUntil = 0;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.#parsed(schema, (await this.#read(this.#url(path))).text);
  }

  /** All pages of a list, up to a limit. */
  async list<T>(path: string, schema: z.ZodType<T[]>): Promise<T[]> {
    const all: T[] = [];
    let url: string | undefined = this.#url(path);
    for (let page = 0; url !== undefined && page < MAX_PAGES; page++) {
      const kept: KeptResponse = await this.#read(url);
      all.push(...this.#parsed(schema, kept.text));
      url = kept.next;
    }
    return all;
  }

  /** Like `get`, for queries that only POST supports. Fresh responses are shared. */
  async query<T>(url: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const text = JSON.stringify(body);
    const kept = await this.#shared(`${url} ${text}`, async () => {
      const answer = await this.#send('POST', url, {}, text);
      return { text: answer.text, etag: undefined, next: undefined };
    });
    return this.#parsed(schema, kept.text);
  }

  /** Undefined: the token may not read it. */
  async getIfAllowed<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      return await this.get(path, schema);
    } catch (error) {
      if (error instanceof NoAccess) return undefined;
      throw error;
    }
  }

  /** Changes something, so later reads ask the host again, also if the response is lost. */
  async post<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    try {
      const answer = await this.#send('POST', this.#url(path), {}, JSON.stringify(body));
      return this.#parsed(schema, answer.text);
    } finally {
      this.refresh();
    }
  }

  /** Later reads ask the host again. Unchanged responses cost no rate limit. */
  refresh(): void {
    this.#changes += 1;
  }

  #url(path: string): string {
    return `${this.#options.baseUrl}${path}`;
  }

  #now(): number {
    return this.#options.clock.now();
  }

  async #read(url: string): Promise<KeptResponse> {
    return await this.#shared(url, async (before) => {
      const headers = before?.etag === undefined ? {} : { 'if-none-match': before.etag };
      const answer = await this.#send('GET', url, headers);
      if (answer.status === 304 && before !== undefined) return before;
      const { etag, link } = answer.headers;
      return {
        text: answer.text,
        etag: typeof etag === 'string' ? etag : undefined,
        next: nextPage(link, url),
      };
    });
  }

  async #shared(
    key: string,
    ask: (
      before: KeptResponse | undefined,
    ) => Promise<Pick<KeptResponse, 'text' | 'etag' | 'next'>>,
  ): Promise<KeptResponse> {
    const { cache } = this.#options;
    const id = `${this.#id} ${key}`;
    const before = cache.get(id);
    const changes = this.#changes;
    if (before?.changes === changes && this.#now() - before.at < FRESH_MS) return before;
    // A request that began before a change may miss it.
    const shared = `${changes} ${key}`;
    const open =
      this.#open.get(shared) ??
      this.#ask(id, changes, () => ask(before)).finally(() => this.#open.delete(shared));
    this.#open.set(shared, open);
    return await open;
  }

  async #ask(
    id: string,
    changes: number,
    ask: () => Promise<Pick<KeptResponse, 'text' | 'etag' | 'next'>>,
  ): Promise<KeptResponse> {
    const { text, etag, next } = await ask();
    const kept = { text, etag, next, at: this.#now(), changes };
    this.#options.cache.set(id, kept);
    return kept;
  }

  async #send(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) {
    const { dispatcher, host } = this.#options;
    if (this.#now() < this.#pausedUntil) throw this.#rateLimited();
    try {
      const answer = await request(url, {
        dispatcher,
        method,
        headers: {
          ...headers,
          accept: this.#options.accept,
          authorization: await this.#options.authorization(),
          'user-agent': 'chatd',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body ?? null,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const content = await textOf(answer);
      this.#check(answer, content);
      return { status: answer.statusCode, headers: answer.headers, text: content };
    } catch (error) {
      if (error instanceof Refused) throw error;
      const why = refusalIn(error)?.message ?? (error instanceof Error ? error.message : '');
      throw new Refused('git_host_unreachable', `${host} cannot be reached: ${why}`);
    }
  }

  #check({ statusCode: status, headers }: Dispatcher.ResponseData, content: string): void {
    const { host } = this.#options;
    if (status === 304 || (status >= 200 && status < 300)) return;
    const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
    const isLimited =
      headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0';
    if (status === 429 || (status === 403 && (isLimited || !Number.isNaN(retryAfter)))) {
      const reset = Number(
        headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN,
      );
      const now = this.#now();
      const until = Number.isNaN(retryAfter)
        ? Number.isNaN(reset)
          ? now + 60_000
          : reset * 1000
        : now + retryAfter * 1000;
      this.#pausedUntil = Math.min(until, now + MAX_PAUSE_MS);
      throw this.#rateLimited();
    }
    if (status === 401)
      throw new Refused(
        'git_token_refused',
        `${host} refused the token. Connect ${host} again with a valid token.`,
      );
    const said = messageIn(json(content));
    if (status === 403 || status === 404)
      throw new NoAccess(
        `${host} responded with ${status}${said}. Check that the repository exists and that the token can access it.`,
      );
    throw new Refused('git_host_refused', `${host} responded with ${status}${said}.`);
  }

  #rateLimited(): Refused {
    const until = new Date(this.#pausedUntil).toISOString();
    return new Refused(
      'git_host_refused',
      `The rate limit of ${this.#options.host} is reached. Try again after ${until}.`,
    );
  }

  #parsed<T>(schema: z.ZodType<T>, text: string): T {
    const parsed = schema.safeParse(json(text));
    if (parsed.success) return parsed.data;
    const { host } = this.#options;
    throw new Refused('git_host_refused', `${host} sent an unexpected response. Check its kind.`);
  }
}

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The reason in the body of an error: of GitHub with its details, or of GitLab. */
function messageIn(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const { message, errors, error } = body as Record<string, unknown>;
  const details = Array.isArray(errors)
    ? errors.map((one: unknown) =>
        typeof one === 'object' && one !== null && 'message' in one ? String(one.message) : '',
      )
    : [];
  const words = [message ?? error, ...details]
    .map((one) => (typeof one === 'string' ? one : one === undefined ? '' : JSON.stringify(one)))
    .filter((one) => one !== '');
  return words.length === 0 ? '' : `: ${words.join(': ').slice(0, 500)}`;
}

/** Only within the same API: the token is sent there. */
function nextPage(link: string | string[] | undefined, from: string): string | undefined {
  const text = Array.isArray(link) ? link.join() : (link ?? '');
  const next = /<([^>]+)>;\s*rel="next"/.exec(text)?.[1];
  if (next === undefined || !URL.canParse(next, from)) return undefined;
  const url = new URL(next, from);
  return url.origin === new URL(from).origin ? url.href : undefined;
}
