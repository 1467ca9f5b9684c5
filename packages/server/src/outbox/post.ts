import { type Dispatcher, request } from 'undici';
import { refusalIn } from '../providers/fetch/refusals.ts';
import type { Outcome } from './channel.ts';

/** Shorter than the lease of an attempt. */
const TIMEOUT_MS = 15_000;
const MESSAGE_LENGTH = 300;
const DUMPED_BYTES = 16 * 1024;

/** Connections that check every address. Those of members reach public addresses only. */
export interface Dispatchers {
  readonly ofAdmins: Dispatcher;
  readonly ofMembers: Dispatcher;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Sends one request through an agent that checks addresses. Redirects are not followed. Throws only if it is aborted. */
export async function post(
  dispatcher: Dispatcher,
  { url, headers, body }: Post,
  signal: AbortSignal,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { ...headers },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    const { statusCode: status } = response;
    // A short body is read, so that the connection can be used again.
    response.body.dump({ limit: DUMPED_BYTES }).catch(() => undefined);
    if (status >= 200 && status < 300) return { kind: 'delivered', status };
    const error =
      status >= 300 && status < 400
        ? `The receiver responded with a redirect (HTTP ${status}), which is not followed. Change the URL.`
        : `The receiver responded with HTTP ${status}.`;
    return { kind: 'failed', status, error };
  } catch (error) {
    signal.throwIfAborted();
    return {
      kind: 'failed',
      status: null,
      error: reasonOf(error, timeout).slice(0, MESSAGE_LENGTH),
    };
  }
}

function reasonOf(error: unknown, timeout: AbortSignal): string {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return refusal.message;
  if (timeout.aborted) return `No response within ${TIMEOUT_MS / 1000} seconds.`;
  const code = error instanceof Error && 'code' in error ? `: ${String(error.code)}` : '';
  return `The receiver cannot be reached${code}.`;
}
