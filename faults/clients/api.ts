import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** One answer of the deployment, or none. */
export interface Try {
  readonly at: number;
  /** 0: the connection was refused or broke. */
  readonly status: number;
}

const PAUSE_MS = 50;
/** So long does a client wait before it goes elsewhere. */
const TRY_MS = 5000;
const READ_MS = 30_000;
const PATIENCE_MS = 60_000;

/**
 * A client that does not give up: what is not acknowledged is sent again, with the same idempotency key, to another
 * replica. Anything but a 2xx, a 503 or a broken connection is an error of the deployment.
 */
export class Api {
  readonly tries: Try[] = [];
  readonly #urls: () => string[];
  readonly #token: string;
  #turn = 0;

  constructor(urls: () => string[], token: string) {
    this.#urls = urls;
    this.#token = token;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }

  /** The next replica, one after the other. */
  nextUrl(): string | undefined {
    const urls = this.#urls();
    this.#turn += 1;
    return urls[this.#turn % Math.max(1, urls.length)];
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const key = randomUUID();
    return await this.#insist<T>(path, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  }

  async patch<T>(path: string, body: unknown): Promise<T> {
    return await this.#insist<T>(path, {
      method: 'PATCH',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async get<T>(path: string): Promise<T> {
    return await this.#insist<T>(path, { headers: this.headers }, READ_MS);
  }

  async #insist<T>(path: string, request: RequestInit, tryMs = TRY_MS): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const url = this.nextUrl();
      const signal = AbortSignal.timeout(tryMs);
      const reply =
        url === undefined
          ? undefined
          : await tryOnce(`${url}/api/v1${path}`, { ...request, signal });
      this.tries.push({ at: Date.now(), status: reply?.status ?? 0 });
      if (reply !== undefined && reply.status < 300) {
        return (reply.text === '' ? undefined : JSON.parse(reply.text)) as T;
      }
      if (reply !== undefined && reply.status !== 503) {
        throw new Error(`${request.method ?? 'GET'} ${path}: ${reply.status} ${reply.text}`);
      }
      if (performance.now() > deadline) throw new Error(`${path}: nobody answers`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Undefined when the connection broke, or took so long that a client would go elsewhere. */
async function tryOnce(
  url: string,
  request: RequestInit,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(url, request);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
