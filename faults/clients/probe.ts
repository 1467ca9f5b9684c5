import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatPlan } from '../deployment/plan.ts';
import type { Api } from './api.ts';
import { openSseStream } from './sse-stream.ts';

export interface Latencies {
  /** Time until a message is acknowledged. */
  readonly send: number[];
  /** Time until the first event of a stream. */
  readonly open: number[];
  /** Time from the message to the first text of its answer. */
  readonly firstToken: number[];
  readonly failures: string[];
}

const PAUSE_MS = 200;
const TIMEOUT_MS = 60_000;

/** An ordinary member who starts one chat at a time and reads its answer. */
export async function probe(api: Api, until: AbortSignal): Promise<Latencies> {
  const latencies: Latencies = { send: [], open: [], firstToken: [], failures: [] };
  while (!until.aborted) {
    try {
      await oneTurn(api, latencies);
    } catch (error) {
      latencies.failures.push(String(error));
    }
    await sleep(PAUSE_MS);
  }
  return latencies;
}

async function oneTurn(api: Api, latencies: Latencies): Promise<void> {
  const began = performance.now();
  const content = formatPlan({ id: `m-probe-${randomUUID()}`, steps: [{ chunks: 3 }] });
  const chat = await api.post<{ id: string }>('/chats', { content, title: 'Probe' });
  const sent = performance.now();
  const opened = Promise.withResolvers<number>();
  const firstToken = Promise.withResolvers<number>();
  const connection = openSseStream({
    url: api.nextUrl() ?? '',
    chatId: chat.id,
    headers: api.headers,
    cursor: undefined,
    onEvent(event) {
      opened.resolve(performance.now());
      // The answer may be committed before the stream opens.
      if (event.type === 'message_part' || isAnswer(event)) firstToken.resolve(performance.now());
    },
  });
  const late = sleep(TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${TIMEOUT_MS} ms`);
  });
  try {
    latencies.send.push(sent - began);
    latencies.open.push((await Promise.race([opened.promise, late])) - sent);
    latencies.firstToken.push((await Promise.race([firstToken.promise, late])) - began);
  } finally {
    connection.drop();
    late.catch(() => undefined);
  }
}

const isAnswer = (event: { type: string }): boolean =>
  event.type === 'message' &&
  'message' in event &&
  (event.message as { role?: string }).role === 'assistant';
