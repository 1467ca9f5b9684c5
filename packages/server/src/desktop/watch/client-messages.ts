import { CLIENT, keyEvent, pointerEvent, setEncodings } from '../rfb/messages.ts';

/** A client said what no client of RFB says, or what cannot be let through. */
export class NotRfb extends Error {
  override readonly name = 'NotRfb';
}

const VERSION_LENGTH = 12;
const OLDEST = /003\.003/;
const MOST_TEXT = 256 * 1024;
const MOST_FENCE = 64;

/**
 * Extensions that clients must not learn of: keys by their place, more buttons and sizes of the screen come in messages
 * of their own, which would have to be understood to be kept back; and texts of other kinds than text.
 */
const KEPT_BACK = new Set([-258, -308, -316, -1063131698]);

type Stage = 'version' | 'security' | 'init' | 'messages';

/**
 * What a client sends to a VNC server, message by message: what moves the pointer and the keys goes through only while the
 * client may. Everything that goes through was understood.
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

  /** What is to be handed on. Throws `NotRfb`. */
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

  /** Lets go of all keys and buttons that the client holds down: it may not do so itself any more. */
  letGo(): Buffer {
    const keys = [...this.#down].map((keysym) => keyEvent(keysym, false));
    this.#down.clear();
    const { x, y, buttons } = this.#pointer;
    this.#pointer = { x, y, buttons: 0 };
    return Buffer.concat([...keys, ...(buttons === 0 ? [] : [pointerEvent(x, y, 0)])]);
  }

  /** Of the next message; undefined while that cannot be told. */
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
        return rest.length < 8 ? undefined : 8 + atMost(rest.readInt32BE(4), MOST_TEXT);
      case CLIENT.fence:
        return rest.length < 9 ? undefined : 9 + atMost(rest.readUInt8(8), MOST_FENCE);
      case CLIENT.xvp:
        return 4;
      case CLIENT.setDesktopSize:
        return rest.length < 8 ? undefined : 8 + 16 * rest.readUInt8(6);
      default:
        throw new NotRfb(`a message of the kind ${rest[0]}`);
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
      // Agents have been told the size of the screen; and nobody turns it off.
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

/** A copy: what is not through yet shares its memory. */
const as = (bytes: Buffer, acts = false) => ({ bytes: Buffer.from(bytes), acts });

/** With the oldest version the server decides about security by itself. */
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
