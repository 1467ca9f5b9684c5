import type { LanguageModelV4Message as Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { commonPrefix } from '../common-prefix.ts';
import { SizedCache } from '../sized-cache.ts';
import { mapAll } from './map-all.ts';
import type { EncodedPrompt } from './wire-format.ts';

/** The JSON of a message, and what the next message must know. */
export interface EncodedMessage<State> {
  readonly json: string;
  readonly state: State;
}

/** `before` is undefined for the first message. The result is undefined for messages that the codec does not cover. */
type Encode<State> = (
  message: Message,
  before: State | undefined,
) => EncodedMessage<State> | undefined;

/** The messages of the last prompt of a conversation, in UTF-8. */
interface EncodedMessages {
  readonly by: object;
  readonly messages: Message[];
  /** The states and the numbers of bytes after each message. */
  readonly states: unknown[];
  readonly ends: number[];
  bytes: Buffer;
}

/** All codecs together. */
const CACHE_BYTES = 24 * 2 ** 20;
/** Of a cached message, besides its JSON. */
const MESSAGE_BYTES = 200;
const INITIAL_BYTES = 2048;

/** By the first message. The loop's prompt builder returns the same objects for the same history. */
const conversations = new SizedCache<Message, EncodedMessages>(CACHE_BYTES);

/**
 * The JSON of the messages of a prompt. The bytes of a conversation are kept, so that a call encodes only the messages
 * that are new or have changed, and those after them.
 */
export class PromptJson<State> {
  readonly #encode: Encode<State>;

  constructor(encode: Encode<State>) {
    this.#encode = encode;
  }

  /** The bytes are valid until the next call. */
  of(messages: readonly Message[]): { bytes: Uint8Array; state: State | undefined } | undefined {
    const [first] = messages;
    if (first === undefined) return { bytes: new Uint8Array(), state: undefined };
    const encoded = this.#known(first);
    const kept = commonPrefix(encoded.messages, messages);
    encoded.messages.length = kept;
    encoded.states.length = kept;
    encoded.ends.length = kept;
    let state = encoded.states[kept - 1] as State | undefined;
    let end = encoded.ends[kept - 1] ?? 0;
    for (let index = kept; index < messages.length; index++) {
      const message = messages[index];
      const made = message && this.#encode(message, state);
      if (message === undefined || made === undefined) {
        // The messages before it are kept, and their bytes count.
        keep(first, encoded);
        return undefined;
      }
      ({ state } = made);
      end = write(encoded, made.json, end);
      encoded.messages.push(message);
      encoded.states.push(state);
      encoded.ends.push(end);
    }
    keep(first, encoded);
    return { bytes: encoded.bytes.subarray(0, end), state };
  }

  #known(first: Message): EncodedMessages {
    const known = conversations.get(first);
    if (known?.by === this) return known;
    const bytes = allocate(INITIAL_BYTES);
    return { by: this, messages: [], states: [], ends: [], bytes };
  }
}

/** Not from the pool of Node.js: a small buffer would keep the 64 KiB of its part of the pool. */
const allocate = (size: number): Buffer => Buffer.allocUnsafeSlow(size);

const keep = (first: Message, encoded: EncodedMessages): void =>
  conversations.set(first, encoded, encoded.bytes.length + encoded.messages.length * MESSAGE_BYTES);

/** The end of the written bytes. */
function write(encoded: EncodedMessages, json: string, at: number): number {
  // A character has at most three bytes.
  if (at + json.length * 3 > encoded.bytes.length) {
    const needed = at + Buffer.byteLength(json);
    if (needed > encoded.bytes.length) {
      const larger = allocate(Math.ceil(needed * 1.5));
      encoded.bytes.copy(larger, 0, 0, at);
      encoded.bytes = larger;
    }
  }
  return at + encoded.bytes.write(json, at);
}

/** The system messages at the beginning, which the loop creates for each call, and all others. */
export function bySystem(prompt: LanguageModelV4Prompt): { system: Message[]; others: Message[] } {
  const at = prompt.findIndex(({ role }) => role !== 'system');
  const first = at < 0 ? prompt.length : at;
  return { system: prompt.slice(0, first), others: prompt.slice(first) };
}

/** The encoder of prompts that are one list. `itemsOf` returns the items of a message as JSON, without brackets. */
export function listEncoder(
  field: string,
  itemsOf: (message: Message) => string | undefined,
): (prompt: LanguageModelV4Prompt) => EncodedPrompt | undefined {
  const list = new PromptJson(listed(itemsOf));
  return (prompt) => {
    const { system, others } = bySystem(prompt);
    const instructions = mapAll(system, itemsOf);
    const encoded = instructions && list.of(others);
    if (encoded === undefined) return undefined;
    const separator = system.length > 0 && encoded.bytes.length > 0 ? ',' : '';
    const before = `"${field}":[${instructions?.join(',')}${separator}`;
    return { fields: [before, encoded.bytes, ']'] };
  };
}

/** Separates items by commas. The state tells whether there are any. */
export const listed =
  (itemsOf: (message: Message) => string | undefined): Encode<boolean> =>
  (message, hasItems = false) => {
    const items = itemsOf(message);
    if (items === undefined) return undefined;
    if (items === '') return { json: '', state: hasItems };
    return { json: hasItems ? `,${items}` : items, state: true };
  };
