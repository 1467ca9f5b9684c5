import { JSONParseError } from '@ai-sdk/provider';
import { createParser } from 'eventsource-parser';
import { ProviderError } from '../errors/provider-error.ts';
import type { Decoder } from './codec.ts';

/** A line can contain a whole file. */
const MAX_EVENT_MIB = 96;

/** From the bytes of an event stream to a decoder. */
export class EventReader {
  readonly #decoder: Decoder;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_MIB * 1024 * 1024,
    onEvent: ({ data }) => this.#event(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw tooLong();
    },
  });
  readonly #utf8 = new Utf8Text();

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  push(bytes: Uint8Array): void {
    this.#parser.feed(this.#utf8.push(bytes));
  }

  /** As browsers do, an event without a blank line after it is dropped. */
  end(): Promise<void> | void {
    return this.#decoder.end();
  }

  #event(data: string): void {
    if (data === '[DONE]') return;
    let value: unknown;
    try {
      value = parseJson(data);
    } catch (cause) {
      this.#decoder.malformed(new JSONParseError({ text: data, cause }));
      return;
    }
    this.#decoder.event(value);
  }
}

/** Decodes UTF-8 that may be cut anywhere. Most reads end between characters, for which `Buffer` is faster. */
class Utf8Text {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #inCharacter = false;
  #started = false;

  push(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    const endsInAscii = (bytes[bytes.length - 1] ?? 0) < 0x80;
    const text =
      endsInAscii && !this.#inCharacter
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
        : this.#decoder.decode(bytes, { stream: true });
    this.#inCharacter = !endsInAscii;
    if (this.#started || text === '') return text;
    this.#started = true;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }
}

/** The names as such, or escaped. */
const SUSPECT = /__proto__|constructor|\\u00/;

/** As the provider packages: rejects keys that could change a prototype. */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (SUSPECT.test(text)) checkKeys(value);
  return value;
}

function checkKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const inner: unknown = Object.hasOwn(value, 'constructor') ? value.constructor : undefined;
  const isPrototype =
    typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype');
  if (isPrototype || Object.hasOwn(value, '__proto__')) {
    throw new SyntaxError('Object contains forbidden prototype property');
  }
  for (const each of Object.values(value)) checkKeys(each);
}

const tooLong = () =>
  new ProviderError({
    kind: 'generic',
    message: `A line of the provider's response exceeded ${MAX_EVENT_MIB} MiB. Choose another model.`,
  });
