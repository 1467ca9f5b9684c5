import type { ServerResponse } from 'node:http';
import type { JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { DeliveryStep } from './steps.ts';
import { setTimeout } from 'node:timers/promises';

/** How a response ended: normally, by the client disconnecting, or by the server as scripted. */
export type Ended = 'complete' | 'aborted' | 'reset';

/** Sends the reply and returns how it ended. Never throws because of a client. */
export async function perform(
  reply: Reply,
  response: ServerResponse,
  onEvent: (event: JsonObject) => void,
): Promise<Ended> {
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      closing.abort();
      resolve();
    });
  });
  // A write to a client that is gone is not an error of the server.
  response.on('error', () => {});
  if (reply.head) {
    response.writeHead(reply.head.status, reply.head.headers);
    response.flushHeaders();
  }
  for (const step of reply.steps) {
    if (response.closed) return 'aborted';
    if (step.do === 'write') step.events?.forEach(onEvent);
    if (step.do === 'reset') {
      response.socket?.resetAndDestroy();
      await closed;
      return 'reset';
    }
    await Promise.race([take(step, response, closing.signal), closed]);
  }
  await closed;
  return response.writableFinished ? 'complete' : 'aborted';
}

async function take(
  step: DeliveryStep,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  switch (step.do) {
    case 'write':
      await written(response, step.bytes);
      return;
    case 'hold':
      step.gate.arrive();
      await step.gate.released;
      return;
    case 'wait':
      // The client is gone.
      await setTimeout(step.ms, undefined, { signal: gone }).catch(() => {});
      return;
    case 'hang':
      await new Promise(() => {});
      return;
    case 'end':
      response.end();
      return;
    case 'reset':
      return;
  }
}

/** Resolves when the operating system has accepted the bytes. */
function written(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
