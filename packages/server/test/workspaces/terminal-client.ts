import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { API_PREFIX, TerminalNotice } from '@chatd/protocol';
import { WebSocket } from 'ws';
import type { ApiClient } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';

/** A client that is connected to a terminal over a WebSocket. */
export class TerminalClient {
  readonly notices: TerminalNotice[] = [];
  readonly #socket: WebSocket;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #code: number | undefined;

  static async open(
    client: ApiClient,
    workspaceId: string,
    query: Record<string, string | number> = {},
  ): Promise<TerminalClient> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const path = `${API_PREFIX}/workspaces/${workspaceId}/terminal?${search}`;
    const socket = new WebSocket(`${client.url.replace('http', 'ws')}${path}`, {
      headers: client.headers,
    });
    const opened = new TerminalClient(socket);
    await once(socket, 'open');
    await opened.#until(() => opened.notices.length > 0);
    return opened;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#take(data);
      else this.notices.push(TerminalNotice.parse(JSON.parse(data.toString('utf8'))));
    });
    socket.on('close', (code) => (this.#code = code));
  }

  get ready() {
    const [notice] = this.notices;
    if (notice?.type !== 'ready') throw new Error('the first message is another one');
    return notice;
  }

  /** The position in the output of the terminal up to which it has received. */
  get seen(): number {
    return this.ready.from + this.#size;
  }

  get text(): string {
    return stripVTControlCharacters(Buffer.concat(this.#chunks).toString('utf8'));
  }

  #take(data: Buffer): void {
    this.#chunks.push(data);
    this.#size += data.length;
  }

  type(text: string): void {
    this.#socket.send(Buffer.from(text));
  }

  say(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  shows(text: string | RegExp): Promise<void> {
    return this.#until(() =>
      typeof text === 'string' ? this.text.includes(text) : text.test(this.text),
    );
  }

  /** Resolves with the close code. */
  async closed(): Promise<number> {
    await this.#until(() => this.#code !== undefined);
    return this.#code ?? 0;
  }

  #until(done: () => boolean): Promise<void> {
    return eventually(() => {
      if (!done()) throw new Error(`it shows ${this.text.slice(-500)}`);
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes the connection after everything was sent. */
  end(): void {
    this.#socket.resume();
    this.#socket.close();
  }

  /** Drops the connection without a close handshake. */
  async cut(): Promise<void> {
    this.#socket.terminate();
    await this.closed();
  }
}
