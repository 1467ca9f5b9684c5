/**
 * The JSON of each prompt message, cached by the identity of the message. The loop's prompt builder returns the same
 * objects for the same history, so that each message is encoded once and not with every call.
 */
export class MessageJson<Message extends object> {
  readonly #json = new WeakMap<Message, string>();
  readonly #encode: (message: Message) => string | undefined;

  /** `encode` returns undefined for messages that the codec does not cover. */
  constructor(encode: (message: Message) => string | undefined) {
    this.#encode = encode;
  }

  of(message: Message): string | undefined {
    const known = this.#json.get(message);
    if (known !== undefined) return known;
    const json = this.#encode(message);
    if (json !== undefined) this.#json.set(message, json);
    return json;
  }
}
