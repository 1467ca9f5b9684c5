import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { API_PREFIX, DesktopNotice, Problem } from '@chatd/protocol';
import { WebSocket } from 'ws';
import { RfbClient } from '../../src/desktop/rfb/rfb-client.ts';
import type { ApiClient } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';

const address = (client: ApiClient, chatId: string, query: string) =>
  `${client.url.replace('http', 'ws')}${API_PREFIX}/chats/${chatId}/desktop${query}`;

/** A viewer of a desktop: an RFB client over a WebSocket. */
export class DesktopClient {
  readonly notices: DesktopNotice[] = [];
  readonly rfb: RfbClient;
  readonly #socket: WebSocket;

  static async open(
    client: ApiClient,
    chatId: string,
    query = '?status=true',
  ): Promise<DesktopClient> {
    const socket = new WebSocket(address(client, chatId, query), { headers: client.headers });
    const notices: DesktopNotice[] = [];
    // Data can arrive before the RFB client is ready.
    const early: Buffer[] = [];
    let hear = (bytes: Buffer): void => void early.push(bytes);
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) hear(data);
      else notices.push(DesktopNotice.parse(JSON.parse(data.toString('utf8'))));
    });
    await once(socket, 'open');
    const { client: rfb } = await RfbClient.open((heard) => {
      hear = (bytes) => void heard.onData(bytes);
      for (const bytes of early.splice(0)) hear(bytes);
      socket.on('close', () => heard.onClose());
      return Promise.resolve({
        write: (bytes: Uint8Array) => socket.send(bytes),
        close: () => socket.close(),
      });
    });
    return new DesktopClient(socket, rfb, notices);
  }

  /** The response when the upgrade is refused. */
  static async refused(client: ApiClient, chatId: string, query = ''): Promise<Problem> {
    const socket = new WebSocket(address(client, chatId, query), { headers: client.headers });
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    return Problem.parse(JSON.parse(await text(response)));
  }

  private constructor(socket: WebSocket, rfb: RfbClient, notices: DesktopNotice[]) {
    this.#socket = socket;
    this.rfb = rfb;
    this.notices = notices;
  }

  get status(): DesktopNotice | undefined {
    return this.notices.at(-1);
  }

  get isClosed(): boolean {
    return this.#socket.readyState === WebSocket.CLOSED;
  }

  say(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Resolves when the last notice has these values. */
  receives(status: Partial<DesktopNotice>): Promise<void> {
    return eventually(() => {
      const matches = Object.entries(status).every(
        ([name, value]) => this.status?.[name as keyof DesktopNotice] === value,
      );
      if (!matches) throw new Error(`the last notice is ${JSON.stringify(this.status)}`);
    });
  }

  type(characters: string): void {
    for (const character of characters) {
      this.rfb.key(character.codePointAt(0) ?? 0, true);
      this.rfb.key(character.codePointAt(0) ?? 0, false);
    }
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}
