import { ChatdProblem } from '@chatd/client';
import type { DesktopNotice, DesktopStatus } from '@chatd/protocol';
import { apiPath, client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { Cell, type ReadableCell } from '../state/cell.ts';
import { type Clock, systemClock } from '../state/clock.ts';
import { socketAddress } from '../state/reconnecting.ts';
import { Channel } from './channel.ts';

export type DesktopState =
  | { readonly kind: 'connecting' }
  /** No desktop is running, and why. */
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'live'; readonly channel: Channel }
  /** The connection was lost and is being retried. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly reason: string };

const AGAIN_MS = 3000;

/** A reconnecting connection to a chat's desktop. While none is running it polls, because an agent may start one. */
export class DesktopLine {
  readonly #chatId: string;
  readonly #clock: Clock;
  readonly #state = new Cell<DesktopState>({ kind: 'connecting' });
  readonly #status = new Cell<DesktopNotice | undefined>(undefined);
  #socket: WebSocket | undefined;
  #closed = false;
  #forgetTimer: () => void = () => undefined;

  constructor(chatId: string, clock: Clock = systemClock) {
    this.#chatId = chatId;
    this.#clock = clock;
    this.#connect(false);
  }

  get state(): ReadableCell<DesktopState> {
    return this.#state;
  }

  /** Control status from the server. */
  get status(): ReadableCell<DesktopNotice | undefined> {
    return this.#status;
  }

  readonly start = (): void => {
    this.#forgetTimer();
    this.#connect(true);
  };

  readonly takeControl = (): void => this.#say('take_control');
  readonly giveBack = (): void => this.#say('give_back');

  close(): void {
    this.#closed = true;
    this.#forgetTimer();
    this.#socket?.close();
  }

  #say(type: 'take_control' | 'give_back'): void {
    const state = this.#state.get();
    if (state.kind === 'live') state.channel.say({ type });
  }

  #connect(start: boolean): void {
    if (this.#closed) return;
    this.#state.set({ kind: 'connecting' });
    const socket = new WebSocket(this.#address(start));
    this.#socket = socket;
    const channel = new Channel(socket, (notice) => this.#status.set(notice));
    let opened = false;
    socket.addEventListener('open', () => {
      opened = true;
      if (!this.#closed) this.#state.set({ kind: 'live', channel });
    });
    socket.addEventListener('close', () => {
      if (this.#closed) return;
      this.#status.set(undefined);
      if (opened) {
        this.#state.set({ kind: 'waiting' });
        this.#later();
      } else void this.#askWhy();
    });
  }

  #address(start: boolean): URL {
    const url = socketAddress(apiPath(`/chats/${this.#chatId}/desktop`));
    url.searchParams.set('status', 'true');
    if (start) url.searchParams.set('start', 'true');
    return url;
  }

  /** Browsers do not report why a WebSocket was refused, so this asks the API. */
  async #askWhy(): Promise<void> {
    try {
      const status = await this.#look();
      if (this.#closed) return;
      if (!status.running) this.#state.set({ kind: 'none', reason: status.reason ?? '' });
      this.#later();
    } catch (error) {
      if (this.#closed) return;
      if (error instanceof ChatdProblem && error.status < 500) {
        this.#state.set({ kind: 'refused', reason: explain(error) });
      } else {
        this.#state.set({ kind: 'waiting' });
        this.#later();
      }
    }
  }

  #look(): Promise<DesktopStatus> {
    return client.call('getDesktop', { params: { chat_id: this.#chatId } });
  }

  #later(): void {
    this.#forgetTimer = this.#clock.later(AGAIN_MS, () => void this.#again());
  }

  async #again(): Promise<void> {
    const before = this.#socket;
    const status = await this.#look().catch(() => undefined);
    // A start requested in the meantime takes precedence.
    if (this.#closed || this.#socket !== before) return;
    if (status?.running === true) this.#connect(false);
    else {
      if (status !== undefined) this.#state.set({ kind: 'none', reason: status.reason ?? '' });
      this.#later();
    }
  }
}
