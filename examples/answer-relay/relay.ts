import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '@chatd/client';
import { Webhook } from 'standardwebhooks';
import type { Destination, Payload } from './destinations.ts';

export interface RelayOptions {
  readonly client: Client;
  readonly chatdUrl: string;
  /** Of the webhook at chatd. */
  readonly secret: string;
  readonly destinations: Readonly<Record<string, Destination>>;
}

interface Event {
  readonly type: string;
  readonly data: {
    readonly chat_id?: string;
    readonly snapshot_version?: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export interface Reply {
  readonly status: number;
  readonly body?: string;
}

/** Passes deliveries on to triggers, and the answers of their chats back. It stores nothing. */
export class Relay {
  readonly #options: RelayOptions;
  readonly #webhook: Webhook;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#webhook = new Webhook(options.secret);
  }

  /** Forwards a delivery unchanged: chatd verifies its signature, and starts one run for each delivery ID. */
  async forward(name: string, body: string, headers: IncomingHttpHeaders): Promise<Reply> {
    const destination = this.#options.destinations[name];
    if (destination === undefined) return { status: 404 };
    if (!destination.accepts(JSON.parse(body) as Payload)) return { status: 204 };
    const kept = Object.entries(headers).filter(([header]) => /^(x-|content-type$)/.test(header));
    const response = await fetch(`${this.#options.chatdUrl}${destination.hook}`, {
      method: 'POST',
      headers: kept.map(([header, value]): [string, string] => [header, String(value)]),
      body,
    });
    return { status: response.status, body: await response.text() };
  }

  /** An event of chatd. If it throws, chatd sends the event again. */
  async receive(body: string, headers: IncomingHttpHeaders): Promise<Reply> {
    let event: Event;
    try {
      event = this.#webhook.verify(body, headers as Record<string, string>) as Event;
    } catch {
      return { status: 401 };
    }
    const { chat_id, snapshot_version, labels } = event.data;
    const destination = this.#options.destinations[labels?.['relay'] ?? ''];
    if (event.type !== 'chat.waiting' || destination === undefined || chat_id === undefined) {
      return { status: 204 };
    }
    const { messages } = await this.#options.client.chats.messages(chat_id);
    const last = (role: string) => textOf(messages.findLast((one) => one.role === role));
    await destination.post(last('user'), last('assistant'), `chatd ${chat_id} ${snapshot_version}`);
    return { status: 204 };
  }
}

type Message = Awaited<ReturnType<Client['chats']['messages']>>['messages'][number];

const textOf = (message: Message | undefined): string =>
  (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
