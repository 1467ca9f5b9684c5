export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal | undefined;
}

/** A response with a status other than 2xx. */
export interface FailedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** The next bytes are read when the promise has resolved. */
export type TakeBytes = (bytes: Uint8Array) => Promise<void> | undefined;

/**
 * Sends a POST request. Passes the body of a successful response on as it arrives, and resolves at its end; resolves
 * with the response if it failed. Rejects with the reason of the signal, with the error of `take`, or with a
 * `TypeError` as `fetch` does. `opened` is called before the first bytes of a successful response.
 */
export type Transport = (
  request: HttpRequest,
  opened: (headers: Record<string, string>) => void,
  take: TakeBytes,
) => Promise<FailedResponse | undefined>;

/** A transport over `fetch`. */
export function fetchTransport(fetch: typeof globalThis.fetch = globalThis.fetch): Transport {
  return async ({ url, headers, body, signal }, opened, take) => {
    const response = await fetch(url, { method: 'POST', headers, body, signal: signal ?? null });
    const { status, statusText, ok } = response;
    const received = Object.fromEntries(response.headers);
    if (!ok) return { status, statusText, headers: received, body: await response.text() };
    opened(received);
    const reader = response.body?.getReader();
    if (reader === undefined) return undefined;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        await take(value);
      }
    } catch (error) {
      void reader.cancel(error).catch(() => {});
      throw error;
    }
  };
}
