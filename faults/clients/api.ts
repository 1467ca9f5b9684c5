import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** One answer of the deployment, or none. */
export interface Try {
  readonly at: number;
  /** 0: the connection was refused or broke. */
  readonly status: number;
}

/** The deployment said no. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly status: number;
  /** A try before it went unanswered, and may have taken effect. */
  readonly repeated: boolean;

  constructor(what: string, status: number, text: string, repeated: boolean) {
    super(`${what}: ${status} ${text}`);
    this.status = status;
    this.repeated = repeated;
  }
}

const PAUSE_MS = 50;
/** The newest tries are kept: somebody may ask for hours. */
const TRIES_KEPT = 20_000;
/** So long does a client wait before it goes elsewhere; longer with every try, lest all that it does is to give up. */
const TRY_MS = 5000;
const MOST_TRY_MS = 40_000;
const READ_MS = 30_000;
const PATIENCE_MS = 180_000;

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
    const { answer } = await this.#insist(path, {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    return answer as T;
  }

  /** It has no idempotency key: one that was repeated may take effect once more, later than its answer. */
  async patch(path: string, body: unknown): Promise<{ readonly repeated: boolean }> {
    return await this.#insist(path, {
      method: 'PATCH',
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Once; that it is gone already may be the doing of a try that went unanswered. */
  async remove(path: string): Promise<{ readonly repeated: boolean }> {
    return await this.#insist(path, { method: 'DELETE', headers: this.headers });
  }

  /** Until it is gone, by this request or one before it that went unanswered. */
  async delete(path: string): Promise<void> {
    try {
      await this.remove(path);
    } catch (error) {
      if (!(error instanceof RequestRefused && error.repeated && error.status === 404)) throw error;
    }
  }

  async get<T>(path: string): Promise<T> {
    const { answer } = await this.#insist(path, { headers: this.headers }, READ_MS);
    return answer as T;
  }

  async #insist(
    path: string,
    request: RequestInit,
    tryMs = TRY_MS,
  ): Promise<{ readonly answer: unknown; readonly repeated: boolean }> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let tries = 0; ; tries += 1) {
      const repeated = tries > 0;
      const url = this.nextUrl();
      const signal = AbortSignal.timeout(Math.min(tryMs * 2 ** Math.min(tries, 3), MOST_TRY_MS));
      const reply =
        url === undefined
          ? undefined
          : await tryOnce(`${url}/api/v1${path}`, { ...request, signal });
      this.#note(reply?.status ?? 0);
      if (reply !== undefined && reply.status < 300) {
        const answer: unknown = reply.text === '' ? undefined : JSON.parse(reply.text);
        return { answer, repeated };
      }
      if (reply !== undefined && reply.status !== 503) {
        const what = `${request.method ?? 'GET'} ${path}`;
        throw new RequestRefused(what, reply.status, reply.text, repeated);
      }
      if (performance.now() > deadline) throw new Error(`${path}: nobody answers`);
      await sleep(PAUSE_MS);
    }
  }

  #note(status: number): void {
    this.tries.push({ at: Date.now(), status });
    if (this.tries.length > 2 * TRIES_KEPT) this.tries.splice(0, TRIES_KEPT);
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
