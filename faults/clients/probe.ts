import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { planText } from '../deployment/plan.ts';
import type { Api } from './api.ts';
import { openLine } from './event-line.ts';

export interface Latencies {
  /** Until a message is acknowledged. */
  readonly send: number[];
  /** Until the stream of a chat shows its first event. */
  readonly open: number[];
  /** From the message to the first text of its answer. */
  readonly firstToken: number[];
  /** What went wrong instead. */
  readonly failures: string[];
}

const PAUSE_MS = 200;
const LONGEST_MS = 60_000;

/** An ordinary member who starts chats and watches their answers, one after the other. */
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
  const content = planText({ id: `m-probe-${randomUUID()}`, steps: [{ say: 3 }] });
  const chat = await api.post<{ id: string }>('/chats', { content, title: 'Probe' });
  const sent = performance.now();
  const opened = Promise.withResolvers<number>();
  const spoke = Promise.withResolvers<number>();
  const line = openLine({
    url: api.nextUrl() ?? '',
    chatId: chat.id,
    headers: api.headers,
    cursor: undefined,
    onEvent(event) {
      opened.resolve(performance.now());
      // The answer may have been committed before the stream was there.
      if (event.type === 'message_part' || isAnswer(event)) spoke.resolve(performance.now());
    },
  });
  const late = sleep(LONGEST_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${LONGEST_MS} ms`);
  });
  try {
    latencies.send.push(sent - began);
    latencies.open.push((await Promise.race([opened.promise, late])) - sent);
    latencies.firstToken.push((await Promise.race([spoke.promise, late])) - began);
  } finally {
    line.drop();
    late.catch(() => undefined);
  }
}

const isAnswer = (event: { type: string }): boolean =>
  event.type === 'message' &&
  'message' in event &&
  (event.message as { role?: string }).role === 'assistant';
