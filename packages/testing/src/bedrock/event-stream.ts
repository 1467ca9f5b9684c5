import type { Wire } from '../wire.ts';
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { isObject } from '../json.ts';

const STRING = 7;
const WORD = 4;

/** AWS's binary framing: lengths, headers, payload, and a checksum of each half. */
export const eventStream: Wire = {
  contentType: 'application/vnd.amazon.eventstream',
  bytes: ({ name = '', data }) => message(headersOf(name), padded(data)),
  malformed: message(headersOf('contentBlockDelta'), '{"this": is not JSON'),
};

function headersOf(name: string): Record<string, string> {
  return name.endsWith('Exception')
    ? { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' }
    : { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' };
}

/** The service pads its events to hide the length of their content. */
function padded(data: unknown): string {
  return JSON.stringify(isObject(data) ? { ...data, p: 'abcdefghijkl' } : data);
}

function message(headers: Record<string, string>, payload: string): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const lengths = Buffer.concat([word(4 * WORD + head.length + body.length), word(head.length)]);
  const prelude = Buffer.concat([lengths, word(crc32(lengths))]);
  const checked = Buffer.concat([prelude, head, body]);
  return Buffer.concat([checked, word(crc32(checked))]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(WORD);
  bytes.writeUInt32BE(value);
  return bytes;
}
