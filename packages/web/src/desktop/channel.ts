import type { DesktopNotice, DesktopRequest } from '@chatd/protocol';
import type { RawChannel } from '@novnc/novnc';

/**
 * A WebSocket as noVNC wants one. Its text messages, which say who has control, are not for noVNC; what comes before
 * noVNC listens is kept; and who hangs up is the line's business, since a screen may go and another one come.
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
    // Not within the call that sets it: whoever listens is not ready before that is over.
    queueMicrotask(() => {
      for (const data of this.#early.splice(0)) this.#hear?.({ data });
    });
  }

  readonly send = (data: ArrayBufferView<ArrayBuffer>): void => {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  };

  /** Whoever listens goes, and is told that all is over. */
  readonly close = (): void => {
    const { onclose } = this;
    setTimeout(() => onclose?.(new CloseEvent('close', { code: 1000 })));
  };

  say(request: DesktopRequest): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(request));
  }
}
