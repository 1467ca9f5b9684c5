import { CLIENT, keyEvent, pointerEvent, setEncodings } from '../rfb/messages.ts';

/** The client sent a message that is invalid or not allowed. */
export class NotRfb extends Error {
  override readonly name = 'NotRfb';
}

const VERSION_LENGTH = 12;
const OLDEST = /003\.003/;
const MAX_TEXT = 256 * 1024;
const MAX_FENCE = 64;

/**
 * Extensions hidden from clients: they add message types for input, screen sizes and clipboard formats that this filter
 * would have to understand.
 */
const KEPT_BACK = new Set([-258, -308, -316, -1063131698]);

type Stage = 'version' | 'security' | 'init' | 'messages';

/**
 * Filters what a client sends to a VNC server, message by message. Pointer and key events pass only while the client
 * has control. Unknown messages never pass.
 */
export class ClientMessages {
  readonly #mayAct: () => boolean;
  #stage: Stage = 'version';
  #rest: Buffer = Buffer.alloc(0);
  readonly #down = new Set<number>();
  #pointer = { x: 0, y: 0, buttons: 0 };

  constructor(mayAct: () => boolean) {
    this.#mayAct = mayAct;
  }

  /** Returns the bytes to forward. Throws `NotRfb`. */
  push(bytes: Uint8Array): { readonly through: Buffer; readonly acted: boolean } {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const through: Buffer[] = [];
    let acted = false;
    for (;;) {
      const length = this.#length();
      if (length === undefined || this.#rest.length < length) break;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const passed = this.#pass(message);
      if (passed === undefined) continue;
      through.push(passed.bytes);
      acted ||= passed.acts;
    }
    return { through: Buffer.concat(through), acted };
  }

  /** Releases all keys and buttons that the client holds down, when it loses control. */
  releaseAll(): Buffer {
    const keys = [...this.#down].map((keysym) => keyEvent(keysym, false));
    this.#down.clear();
    const { x, y, buttons } = this.#pointer;
    this.#pointer = { x, y, buttons: 0 };
    return Buffer.concat([...keys, ...(buttons === 0 ? [] : [pointerEvent(x, y, 0)])]);
  }

  /** Length of the next message. Undefined: not known yet. */
  #length(): number | undefined {
    const rest = this.#rest;
    if (this.#stage === 'version') return VERSION_LENGTH;
    if (this.#stage !== 'messages') return 1;
    switch (rest[0]) {
      case undefined:
        return undefined;
      case CLIENT.setPixelFormat:
        return 20;
      case CLIENT.setEncodings:
        return rest.length < 4 ? undefined : 4 + 4 * rest.readUInt16BE(2);
      case CLIENT.updateRequest:
      case CLIENT.enableContinuousUpdates:
        return 10;
      case CLIENT.key:
        return 8;
      case CLIENT.pointer:
        return 6;
      case CLIENT.cutText:
        return rest.length < 8 ? undefined : 8 + atMost(rest.readInt32BE(4), MAX_TEXT);
      case CLIENT.fence:
        return rest.length < 9 ? undefined : 9 + atMost(rest.readUInt8(8), MAX_FENCE);
      case CLIENT.xvp:
        return 4;
      case CLIENT.setDesktopSize:
        return rest.length < 8 ? undefined : 8 + 16 * rest.readUInt8(6);
      default:
        throw new NotRfb(`unknown message type ${rest[0]}`);
    }
  }

  #pass(message: Buffer): { bytes: Buffer; acts: boolean } | undefined {
    if (this.#stage !== 'messages') {
      this.#stage = after(this.#stage, message);
      return as(message);
    }
    const type: number = message.readUInt8(0);
    switch (type) {
      case CLIENT.key:
      case CLIENT.pointer:
      case CLIENT.cutText:
        if (!this.#mayAct()) return undefined;
        this.#note(message);
        return as(message, true);
      // Agents rely on the screen size, so clients cannot change it.
      case CLIENT.setDesktopSize:
      case CLIENT.xvp:
        return undefined;
      case CLIENT.setEncodings:
        return as(setEncodings(encodingsOf(message).filter((one) => !KEPT_BACK.has(one))));
      default:
        return as(message);
    }
  }

  #note(message: Buffer): void {
    if (message[0] === CLIENT.key) {
      const keysym = message.readUInt32BE(4);
      if (message[1] === 0) this.#down.delete(keysym);
      else this.#down.add(keysym);
    } else if (message[0] === CLIENT.pointer) {
      this.#pointer = {
        buttons: message.readUInt8(1),
        x: message.readUInt16BE(2),
        y: message.readUInt16BE(4),
      };
    }
  }
}

/** Copies, because the remainder shares its buffer. */
const as = (bytes: Buffer, acts = false) => ({ bytes: Buffer.from(bytes), acts });

/** In the oldest protocol version, the server alone chooses the security type. */
function after(stage: Exclude<Stage, 'messages'>, message: Buffer): Stage {
  if (stage === 'version') return OLDEST.test(message.toString('latin1')) ? 'init' : 'security';
  return stage === 'security' ? 'init' : 'messages';
}

const encodingsOf = (message: Buffer): number[] =>
  Array.from({ length: message.readUInt16BE(2) }, (_, index) => message.readInt32BE(4 + 4 * index));

function atMost(length: number, most: number): number {
  if (length < 0 || length > most) throw new NotRfb(`a message of ${length} bytes`);
  return length;
}
