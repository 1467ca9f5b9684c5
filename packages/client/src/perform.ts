import { sleep } from '@chatd/protocol/clock';
import { backoffMs } from './backoff.ts';
import { authorization, type Connection } from './connection.ts';
import { ChatdProblem, ChatdUnreachable, problemOf, unexpected } from './problem.ts';
import { type AnyInput, type Payload, payloadOf, urlOf } from './request.ts';
import { type RouteRow, has } from './routes.ts';

const BACKOFF = { firstMs: 500, capMs: 8000 };

/** If the server asks for a longer delay, the caller decides. */
const PATIENCE_MS = 30_000;

/** Makes a call, with retries where they are safe, and reads its response. */
export async function perform(
  connection: Connection,
  row: RouteRow,
  input: AnyInput,
): Promise<unknown> {
  const url = urlOf(connection.url, row, input);
  const payload = payloadOf(row, input);
  const key = input.idempotencyKey ?? (hasKey(row) ? connection.newKey() : undefined);
  const headers: Record<string, string> = { ...payload.headers };
  if (key !== undefined) headers['idempotency-key'] = key;
  const repeatable = row[0] === 'get' || hasKey(row) || input.repeatable === true;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(connection, row, url, { ...payload, headers }, input.signal);
    } catch (error) {
      if (!repeatable || tries >= connection.retries || !isRetryable(error)) throw error;
      const retryAfterMs = error instanceof ChatdProblem ? error.retryAfterMs : undefined;
      if (retryAfterMs !== undefined && retryAfterMs > PATIENCE_MS) throw error;
      const delay = retryAfterMs ?? backoffMs(tries, BACKOFF, connection.random);
      await sleep(connection.clock, delay, input.signal);
    }
  }
}

const hasKey = (row: RouteRow) => (row[0] === 'post' || row[0] === 'patch') && !has(row, 'secret');

/** Whether a retry may help. A full queue is not retried: it takes minutes to drain. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ChatdUnreachable) return true;
  if (!(error instanceof ChatdProblem)) return false;
  return error.code === 'too_many_requests' || [502, 503, 504].includes(error.status);
}

async function attempt(
  connection: Connection,
  row: RouteRow,
  url: string,
  { body, headers }: Payload,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const limit = deadline(connection, signal);
  try {
    const response = await connection.fetch(url, {
      method: row[0].toUpperCase(),
      headers: { ...headers, ...(await authorization(connection)) },
      ...(body !== undefined && { body }),
      signal: limit.signal,
    });
    return await answerOf(response, row, connection.clock.now());
  } catch (error) {
    if (error instanceof ChatdProblem) throw error;
    signal?.throwIfAborted();
    throw new ChatdUnreachable(url, limit.expired() ? limit.reason : error);
  } finally {
    limit.clear();
  }
}

/** Aborts an attempt when the caller's signal is aborted or the timeout expires. */
function deadline({ clock, timeoutMs }: Connection, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const clearing = new AbortController();
  const reason = new Error(`no response within ${Math.round(timeoutMs / 1000)} seconds`);
  sleep(clock, timeoutMs, clearing.signal).then(
    () => controller.abort(reason),
    () => undefined,
  );
  const aborted = () => controller.abort(signal?.reason);
  if (signal?.aborted === true) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  return {
    signal: controller.signal,
    reason,
    expired: () => controller.signal.reason === reason,
    clear() {
      signal?.removeEventListener('abort', aborted);
      clearing.abort();
    },
  };
}

async function answerOf(response: Response, row: RouteRow, now: number): Promise<unknown> {
  if (!response.ok) throw problemOf(response, await response.text(), now);
  if (has(row, 'media')) return await fileOf(response);
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ChatdProblem(unexpected(response, text));
  }
}

async function fileOf(response: Response): Promise<File> {
  const type = response.headers.get('content-type') ?? '';
  return new File([await response.blob()], nameOf(response), { type });
}

/** From Content-Disposition; `filename*` takes precedence because it is not limited to ASCII. */
function nameOf({ headers }: Response): string {
  const disposition = headers.get('content-disposition') ?? '';
  const [, starred] = /filename\*=utf-8''([^;]+)/i.exec(disposition) ?? [];
  if (starred !== undefined) return decodeURIComponent(starred);
  const [, quoted] = /filename="([^"]*)"/i.exec(disposition) ?? [];
  return quoted ?? '';
}
