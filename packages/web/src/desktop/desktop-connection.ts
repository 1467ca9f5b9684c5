import { ChatdProblem } from '@chatd/client';
import { ReconnectingSocket, type SocketState } from '@chatd/client/socket';
import type { DesktopNotice, DesktopStatus } from '@chatd/protocol';
import { type Clock, systemClock } from '@chatd/protocol/clock';
import { apiPath, client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { Cell, type ReadableCell } from '../state/cell.ts';
import { Channel } from './channel.ts';

export type DesktopState =
  | Exclude<SocketState, { readonly kind: 'live' }>
  | { readonly kind: 'live'; readonly channel: Channel }
  /** No desktop is running, and why. */
  | {
      readonly kind: 'none';
      readonly reason: string;
      /** Why the last start failed. */
      readonly problem?: string | undefined;
    };

const POLL_MS = 3000;

/** A reconnecting connection to a chat's desktop. While none is running it polls, because an agent may start one. */
export class DesktopConnection {
  readonly #chatId: string;
  readonly #clock: Clock;
  readonly #state = new Cell<DesktopState>({ kind: 'connecting' });
  readonly #status = new Cell<DesktopNotice | undefined>(undefined);
  readonly #socket: ReconnectingSocket;
  #channel: Channel | undefined;
  /** Whether the connection was refused because no desktop is running. */
  #absent = false;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  constructor(chatId: string, clock: Clock = systemClock) {
    this.#chatId = chatId;
    this.#clock = clock;
    this.#socket = new ReconnectingSocket({
      url: () => this.#url(),
      onOpen: (socket) => {
        this.#channel = new Channel(socket, (notice) => this.#status.set(notice));
      },
      onState: (state) => this.#update(state),
      whyRefused: () => this.#whyRefused(),
      clock,
    });
  }

  get state(): ReadableCell<DesktopState> {
    return this.#state;
  }

  /** Control status from the server. */
  get status(): ReadableCell<DesktopNotice | undefined> {
    return this.#status;
  }

  readonly start = async (): Promise<void> => {
    const before = this.#state.get();
    this.#stopPolling();
    this.#state.set({ kind: 'connecting' });
    const problem = await client
      .call('startDesktop', { params: { chat_id: this.#chatId } })
      .then(() => undefined, explain);
    if (this.#isClosed) return;
    if (problem === undefined) this.#reconnect();
    else this.#wait(before.kind === 'none' ? before.reason : '', problem);
  };

  readonly takeControl = (): void => this.#channel?.say({ type: 'take_control' });
  readonly giveBack = (): void => this.#channel?.say({ type: 'give_back' });

  close(): void {
    this.#isClosed = true;
    this.#stopPolling();
    this.#socket.close();
  }

  #update(state: SocketState): void {
    if (state.kind !== 'live') this.#status.set(undefined);
    if (state.kind === 'live') {
      if (this.#channel !== undefined) this.#state.set({ kind: 'live', channel: this.#channel });
    } else if (state.kind === 'refused' && this.#absent) this.#wait(state.reason);
    else this.#state.set(state);
  }

  #url(): URL {
    const url = new URL(apiPath(`/chats/${this.#chatId}/desktop`), location.href);
    url.searchParams.set('status', 'true');
    return url;
  }

  /** Browsers do not report why a WebSocket was refused, so this asks the API. */
  async #whyRefused(): Promise<string | undefined> {
    try {
      const { running, reason = '' } = await this.#read();
      this.#absent = !running;
      return running ? undefined : reason;
    } catch (error) {
      this.#absent = false;
      return error instanceof ChatdProblem && error.status < 500 ? explain(error) : undefined;
    }
  }

  #read(): Promise<DesktopStatus> {
    return client.call('getDesktop', { params: { chat_id: this.#chatId } });
  }

  #wait(reason: string, problem?: string): void {
    this.#state.set({ kind: 'none', reason, problem });
    this.#cancelPoll = this.#clock.after(POLL_MS, () => void this.#poll(reason, problem));
  }

  async #poll(reason: string, problem: string | undefined): Promise<void> {
    const poll = this.#cancelPoll;
    const status = await this.#read().catch(() => undefined);
    // A start or close in the meantime takes precedence.
    if (this.#cancelPoll !== poll) return;
    if (status?.running === true) this.#reconnect();
    else this.#wait(status === undefined ? reason : (status.reason ?? ''), problem);
  }

  #reconnect(): void {
    this.#stopPolling();
    this.#socket.restart();
  }

  #stopPolling(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }
}
