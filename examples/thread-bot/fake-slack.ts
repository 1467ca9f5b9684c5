import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sign } from './slack.ts';

export interface FakeMessage {
  readonly ts: string;
  readonly thread: string;
  text: string;
  edits: number;
}

export interface FakeSlack {
  readonly url: string;
  /** Messages posted by the bot, oldest first. */
  readonly messages: readonly FakeMessage[];
  /** Number of rate-limited edits. */
  readonly refused: () => number;
  /** Mentions the bot. Delivers the event until it is accepted, then a second time, as Slack may do. */
  mention(text: string, thread?: string): Promise<string>;
  close(): Promise<void>;
}

const EDIT_INTERVAL_MS = 1000;

/** A fake of the Slack API that the bot uses, for demos and tests. */
export async function startFakeSlack(options: {
  readonly signingSecret: string;
  readonly botUrl: () => string;
  readonly onChange?: (message: FakeMessage) => void;
}): Promise<FakeSlack> {
  const messages: FakeMessage[] = [];
  let refused = 0;
  let lastEdit = 0;
  let serial = 0;
  const began = Math.floor(Date.now() / 1000);
  const newTs = () => `${began}.${String((serial += 1)).padStart(6, '0')}`;

  /** Returns the HTTP status and the response body. */
  const respond = (method: string, body: Readonly<Record<string, string | undefined>>) => {
    const { thread_ts = '', ts, text = '' } = body;
    const isEdit = method === '/api/chat.update';
    if (isEdit && performance.now() - lastEdit < EDIT_INTERVAL_MS) {
      refused += 1;
      return [429, { ok: false, error: 'ratelimited' }] as const;
    }
    const posted = { ts: newTs(), thread: thread_ts, text, edits: 0 };
    const message = isEdit ? messages.find((one) => one.ts === ts) : posted;
    if (message === undefined) return [200, { ok: false, error: 'message_not_found' }] as const;
    if (isEdit) {
      lastEdit = performance.now();
      message.edits += 1;
      message.text = text;
    } else messages.push(message);
    options.onChange?.(message);
    return [200, { ok: true, ts: message.ts }] as const;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = (await json(request)) as Record<string, string>;
    const [status, result] = respond(request.url ?? '', body);
    response.writeHead(status, { 'retry-after': '1' }).end(JSON.stringify(result));
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const deliver = async (body: string): Promise<boolean> => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign(options.signingSecret, timestamp, body);
    const response = await fetch(options.botUrl(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signature,
      },
      body,
    }).catch(() => undefined);
    return response?.ok === true;
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    refused: () => refused,
    async mention(text, thread) {
      const ts = newTs();
      const event = { type: 'app_mention', channel: 'C1', text: `<@U1> ${text}`, ts };
      const body = JSON.stringify({
        type: 'event_callback',
        event_id: `Ev${randomUUID()}`,
        event: { ...event, ...(thread !== undefined && { thread_ts: thread }) },
      });
      while (!(await deliver(body))) await sleep(500);
      await deliver(body);
      return thread ?? ts;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
