import type { DesktopNotice, DesktopRequest } from '@chatd/protocol';
import type { RawChannel } from '@novnc/novnc';

/**
 * Adapts the connection to the WebSocket interface that noVNC expects. Text messages, which report who has control, are
 * not passed on. Data that arrives before noVNC listens is buffered. Closing the channel does not close the connection,
 * because another screen may follow.
 */
export class Channel implements RawChannel {
  binaryType = 'arraybuffer';
  readonly protocol = '';
  onopen: RawChannel['onopen'] = null;
  onerror: RawChannel['onerror'] = null;
  onclose: RawChannel['onclose'] = null;
  readonly #socket: WebSocket;
  #early: ArrayBuffer[] = [];
  #hear: RawChannel['onmessage'] = null;

  constructor(socket: WebSocket, onNotice: (notice: DesktopNotice) => void) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string') onNotice(JSON.parse(data) as DesktopNotice);
      else if (this.#hear === null) this.#early.push(data);
      else this.#hear({ data });
    });
    socket.addEventListener('close', (event) => this.onclose?.(event));
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  get onmessage(): RawChannel['onmessage'] {
    return this.#hear;
  }

  set onmessage(hear: RawChannel['onmessage']) {
    this.#hear = hear;
    if (hear === null) return;
    // Deferred: the listener is not ready while it is being set.
    queueMicrotask(() => {
      for (const data of this.#early.splice(0)) this.#hear?.({ data });
    });
  }

  readonly send = (data: ArrayBufferView<ArrayBuffer>): void => {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  };

  /** Detaches the listener and reports the channel as closed. */
  readonly close = (): void => {
    const { onclose } = this;
    setTimeout(() => onclose?.(new CloseEvent('close', { code: 1000 })));
  };

  say(request: DesktopRequest): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(request));
  }
}
