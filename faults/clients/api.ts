import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** One attempt of a request. */
export interface Attempt {
  readonly at: number;
  /** 0 if the connection failed. */
  readonly status: number;
}

/** A response other than 2xx and 503. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: number;
  /** An earlier attempt got no response and may have taken effect. */
  readonly retried: boolean;

  constructor(what: string, status: number, text: string, retried: boolean) {
    super(`${what}: ${status} ${text}`);
    this.status = status;
    this.retried = retried;
  }
}

const PAUSE_MS = 50;
/** Limits memory in long runs. */
const ATTEMPTS_KEPT = 20_000;
/** Timeout of the first attempt. Doubles with each attempt, so that slow requests can succeed. */
const ATTEMPT_MS = 5000;
const MAX_ATTEMPT_MS = 40_000;
const READ_MS = 30_000;
const TIMEOUT_MS = 180_000;

/**
 * A client that retries unacknowledged requests on another replica, with the same idempotency key. A response other than
 * 2xx and 503 is an error.
 */
export class Api {
  readonly attempts: Attempt[] = [];
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

  /** The URL of the next replica, in round-robin order. */
  nextUrl(): string | undefined {
    const urls = this.#urls();
    this.#turn += 1;
    return urls[this.#turn % Math.max(1, urls.length)];
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const key = randomUUID();
    const { answer } = await this.#send(path, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    return answer as T;
  }

  /** PATCH has no idempotency key: an earlier attempt may still take effect after the response. */
  async patch(path: string, body: unknown): Promise<{ readonly retried: boolean }> {
    return await this.#send(path, {
      method: 'PATCH',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Rejects with 404 if an earlier attempt without a response has deleted the resource. */
  async remove(path: string): Promise<{ readonly retried: boolean }> {
    return await this.#send(path, { method: 'DELETE', headers: this.headers });
  }

  /** Accepts 404 after a retry. */
  async delete(path: string): Promise<void> {
    try {
      await this.remove(path);
    } catch (error) {
      if (!(error instanceof RequestRefused && error.retried && error.status === 404)) throw error;
    }
  }

  async get<T>(path: string): Promise<T> {
    const { answer } = await this.#send(path, { headers: this.headers }, READ_MS);
    return answer as T;
  }

  async #send(
    path: string,
    request: RequestInit,
    attemptMs = ATTEMPT_MS,
  ): Promise<{ readonly answer: unknown; readonly retried: boolean }> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let attempts = 0; ; attempts += 1) {
      const retried = attempts > 0;
      const url = this.nextUrl();
      const timeoutMs = attemptMs * 2 ** Math.min(attempts, 3);
      const signal = AbortSignal.timeout(Math.min(timeoutMs, MAX_ATTEMPT_MS));
      const reply =
        url === undefined
          ? undefined
          : await attempt(`${url}/api/v1${path}`, { ...request, signal });
      this.#note(reply?.status ?? 0);
      if (reply !== undefined && reply.status < 300) {
        const answer: unknown = reply.text === '' ? undefined : JSON.parse(reply.text);
        return { answer, retried };
      }
      if (reply !== undefined && reply.status !== 503) {
        const what = `${request.method ?? 'GET'} ${path}`;
        throw new RequestRefused(what, reply.status, reply.text, retried);
      }
      if (performance.now() > deadline) throw new Error(`${path}: no replica responded`);
      await sleep(PAUSE_MS);
    }
  }

  #note(status: number): void {
    this.attempts.push({ at: Date.now(), status });
    if (this.attempts.length > 2 * ATTEMPTS_KEPT) this.attempts.splice(0, ATTEMPTS_KEPT);
  }
}

/** Undefined if the connection failed or timed out. */
async function attempt(
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
