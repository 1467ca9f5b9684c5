/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** The newest id so far: an event without one of its own keeps it. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Parses a `text/event-stream` from pieces cut anywhere, also within a character. An event counts when the empty
 * line behind it has come; what is left at the end of a connection was never said.
 */
export class ServerSentEvents {
  // Malformed bytes become U+FFFD, and one byte order mark at the beginning is skipped.
  readonly #decoder = new TextDecoder('utf-8');
  #rest = '';
  #afterReturn = false;
  #id = '';
  #event = '';
  #data: string[] = [];

  push(bytes: Uint8Array): ServerSentEvent[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    // A return ended a line already; the line feed that follows it belongs to it.
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#afterReturn = text === '' ? false : text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const said = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
    const empty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    return empty ? undefined : said;
  }
}
