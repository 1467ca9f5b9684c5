import type { ConnectionState, StreamedEvent } from '@chatd/client';
import type { Message } from '@chatd/protocol';
import { readableContent, type ReadablePart } from '@chatd/protocol/presentation';
import type { Context } from '../context.ts';
import { truncate } from '../output/table.ts';
import { duration } from '../output/quantities.ts';
import { oneLine } from '../output/terminal-text.ts';
import { callOf, providerLine, sourceLine } from '../chats/provider-line.ts';
import { toolTitle } from '../chats/tool-title.ts';

const WIDTH = 100;

/** Prints the progress of a turn to stderr, one line per event. */
export class Progress {
  readonly #log: (line: string) => void;
  readonly #style: Context['errorStyle'];
  readonly #startedAt = new Map<string, string>();
  #down = false;

  constructor({ log, errorStyle }: Context, quiet: boolean) {
    this.#log = quiet ? () => undefined : log;
    this.#style = errorStyle;
  }

  take(event: StreamedEvent): void {
    if (event.type === 'message') this.#message(event.message);
    if (event.type === 'retry') {
      const wait = duration(event.delay_ms);
      this.line('yellow', `↻ ${oneLine(event.error)} Retrying in ${wait}.`);
    }
    if (event.type === 'status' && event.status === 'interrupting') {
      this.line('yellow', 'Interrupting …');
    }
  }

  connection(state: ConnectionState): void {
    if (state.state === 'waiting') {
      this.#down = true;
      this.line(
        'yellow',
        `Connection lost (${oneLine(state.reason.message)}). The turn continues; reconnecting in ${duration(state.delayMs)}.`,
      );
    } else if (state.state === 'live' && this.#down) {
      this.#down = false;
      this.line('yellow', 'Reconnected.');
    }
  }

  line(color: 'dim' | 'yellow' | 'red', text: string): void {
    this.#log(this.#style(color, text));
  }

  #message({ content }: Message): void {
    // The text on stdout has no citation marks: programs read it.
    const { parts, sources } = readableContent(content, () => '');
    for (const part of parts) {
      if (part.type === 'tool-result' && part.provider_executed === true) {
        const failed = part.is_error === true;
        const line = `${failed ? '✗' : '✓'} ${providerLine(callOf(parts, part), part)}`;
        this.line(failed ? 'red' : 'dim', truncate(line, WIDTH));
      } else if (!(part.type === 'tool-call' && part.provider_executed === true)) {
        this.#part(part);
      }
    }
    for (const { number: _, ...source } of sources) {
      this.line('dim', `Source: ${sourceLine(source)}`);
    }
  }

  #part(part: ReadablePart): void {
    if (part.type === 'tool-call') {
      this.#startedAt.set(part.tool_call_id, part.created_at ?? '');
      this.line('dim', truncate(`→ ${toolTitle(part.tool_name, part.args)}`, WIDTH));
    }
    if (part.type !== 'tool-result') return;
    const began = Date.parse(this.#startedAt.get(part.tool_call_id) ?? '');
    const took = Date.parse(part.created_at ?? '') - began;
    const time = Number.isFinite(took) ? ` (${duration(Math.max(0, took))})` : '';
    if (part.is_error === true) {
      const why = typeof part.result === 'string' ? part.result : JSON.stringify(part.result);
      this.line('red', truncate(oneLine(`✗ ${part.tool_name}${time}: ${why ?? ''}`), WIDTH));
    } else {
      this.line('dim', truncate(oneLine(`✓ ${part.tool_name}${time}`), WIDTH));
    }
  }
}
