import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** The end of a turn that the receiver has accepted. */
export interface AcceptedEvent {
  readonly chatId: string;
  readonly version: number;
}

/** Receives events of a webhook. Some of its requests fail, and it can be down. */
export class WebhookReceiver {
  /** In the order of their acceptance, with repetitions. */
  readonly accepted: AcceptedEvent[] = [];
  /** Requests whose signature the library did not accept. */
  unverified = 0;
  failed = 0;
  readonly #failureRate: number;
  #server: Server | undefined;
  #port = 0;
  #secret = '';

  constructor(failureRate: number) {
    this.#failureRate = failureRate;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  verifyWith(secret: string): void {
    this.#secret = secret;
  }

  /** At the same port each time. */
  async up(): Promise<void> {
    this.#server = createServer((request, response) => {
      void this.#respond(request, response);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async down(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The sender may be killed.
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const status = this.#receive(body, request.headers as Record<string, string>);
    // Half of the failures have no response.
    if (status === 500 && Math.random() < 0.5) request.socket.destroy();
    else response.writeHead(status).end();
  }

  #receive(body: Buffer, headers: Record<string, string>): number {
    let event: Event;
    try {
      event = new Webhook(this.#secret).verify(body, headers) as Event;
    } catch {
      this.unverified += 1;
      return 401;
    }
    if (Math.random() < this.#failureRate) {
      this.failed += 1;
      return 500;
    }
    const { chat_id: chatId, snapshot_version: version } = event.data;
    this.accepted.push({ chatId, version });
    return 204;
  }
}

interface Event {
  readonly data: { readonly chat_id: string; readonly snapshot_version: number };
}
