/*
 * The messages of RFB, the VNC protocol (RFC 6143), that chatd sends: version 3.8, no security (the socket is
 * protected), 32 bits per pixel.
 */

export const VERSION = Buffer.from('RFB 003.008\n');
export const NO_SECURITY = 1;

/** Byte order of a pixel: red, green, blue, unused. */
const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

export const ENCODING = { raw: 0, copyRect: 1, desktopSize: -223 } as const;

export const CLIENT = {
  setPixelFormat: 0,
  setEncodings: 2,
  updateRequest: 3,
  key: 4,
  pointer: 5,
  cutText: 6,
  enableContinuousUpdates: 150,
  fence: 248,
  xvp: 250,
  setDesktopSize: 251,
} as const;

export const SERVER = { update: 0, colorMap: 1, bell: 2, cutText: 3 } as const;

export const setPixelFormat = (): Buffer =>
  Buffer.concat([Buffer.from([CLIENT.setPixelFormat, 0, 0, 0]), PIXEL_FORMAT]);

export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length);
  message.writeUInt8(CLIENT.setEncodings, 0);
  message.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries()) {
    message.writeInt32BE(encoding, 4 + 4 * index);
  }
  return message;
}

/** An incremental request is answered on the next change, others at once with the whole screen. */
export function updateRequest(
  incremental: boolean,
  { width, height }: { readonly width: number; readonly height: number },
): Buffer {
  const message = Buffer.alloc(10);
  message.writeUInt8(CLIENT.updateRequest, 0);
  message.writeUInt8(incremental ? 1 : 0, 1);
  message.writeUInt16BE(width, 6);
  message.writeUInt16BE(height, 8);
  return message;
}

export function keyEvent(keysym: number, down: boolean): Buffer {
  const message = Buffer.alloc(8);
  message.writeUInt8(CLIENT.key, 0);
  message.writeUInt8(down ? 1 : 0, 1);
  message.writeUInt32BE(keysym, 4);
  return message;
}

/** `buttons` is a bit mask: 1 left, 2 middle, 4 right, 8 to 64 wheel up, down, left, right. */
export function pointerEvent(x: number, y: number, buttons: number): Buffer {
  const message = Buffer.alloc(6);
  message.writeUInt8(CLIENT.pointer, 0);
  message.writeUInt8(buttons, 1);
  message.writeUInt16BE(x, 2);
  message.writeUInt16BE(y, 4);
  return message;
}
