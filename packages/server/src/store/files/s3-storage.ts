import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { type ObjectStorage, StorageUnavailable } from './object-storage.ts';

const TIMEOUT_MS = 60_000;

export interface S3Options {
  /**
   * `https://ACCESS_KEY_ID:SECRET_ACCESS_KEY@HOST/BUCKET/PREFIX?region=REGION`. Key and secret are percent-encoded. With
   * the bucket in the host name, the path is the prefix alone.
   */
  readonly url: string;
  /** Called with every failure before it is thrown, since callers retry silently. */
  readonly onError?: ((error: Error) => void) | undefined;
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
}

/** A bucket of an S3-compatible service. Requests are signed, including the hash of their body. */
export class S3Storage implements ObjectStorage {
  readonly #base: string;
  readonly #client: AwsClient;
  readonly #onError: (error: Error) => void;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;

  constructor(options: S3Options) {
    const { url, onError = () => undefined, fetch: send = fetch, timeoutMs = TIMEOUT_MS } = options;
    const { origin, pathname, username, password, searchParams } = new URL(url);
    this.#base = `${origin}${pathname.replace(/\/+$/, '')}`;
    this.#client = new AwsClient({
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      service: 's3',
      region: searchParams.get('region') ?? 'us-east-1',
    });
    this.#onError = onError;
    this.#fetch = send;
    this.#timeoutMs = timeoutMs;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const { status, text } = await this.#send('PUT', key, bytes);
    if (status !== 200) throw this.#refused('PUT', status, text());
  }

  async get(key: string): Promise<Buffer | undefined> {
    const { status, body, text } = await this.#send('GET', key);
    if (status === 200) return body;
    // A missing bucket is 404, too, but not a missing file.
    if (status === 404 && !text().includes('NoSuchBucket')) return undefined;
    throw this.#refused('GET', status, text());
  }

  async delete(key: string): Promise<void> {
    const { status, text } = await this.#send('DELETE', key);
    if (status !== 204 && status !== 200 && status !== 404)
      throw this.#refused('DELETE', status, text());
  }

  async #send(method: string, key: string, bytes?: Uint8Array) {
    const hash = createHash('sha256')
      .update(bytes ?? '')
      .digest('hex');
    const request = await this.#client.sign(`${this.#base}/${encodeURIComponent(key)}`, {
      method,
      headers: { 'x-amz-content-sha256': hash },
      ...(bytes && { body: new Uint8Array(bytes) }),
    });
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      const response = await this.#fetch(request, { signal, redirect: 'error' });
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, body, text: () => body.toString('utf8', 0, 2000) };
    } catch (error) {
      throw this.#failed(
        new StorageUnavailable('The file storage cannot be reached', { cause: error }),
      );
    }
  }

  #refused(method: string, status: number, body: string): StorageUnavailable {
    const [, code] = /<Code>(\w{1,64})<\/Code>/.exec(body) ?? [];
    const detail = `${status}${code === undefined ? '' : ` ${code}`}`;
    return this.#failed(
      new StorageUnavailable(`The file storage answered ${method} with ${detail}`),
    );
  }

  #failed(error: StorageUnavailable): StorageUnavailable {
    this.#onError(error);
    return error;
  }
}
