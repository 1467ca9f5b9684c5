import type { Json, ToolResultPart } from '@chatd/protocol';
import { providerLine } from '../chats/provider-line.ts';
import { toolTitle } from '../chats/tool-title.ts';
import { duration } from '../output/quantities.ts';
import { truncate } from '../output/table.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { wrap } from '../terminal/wrap.ts';

const SHOWN_LINES = 8;
const LIVE_LINES = 3;
const TAIL_CHARACTERS = 4000;

/** A tool call, from its first argument to its result. */
export class ToolView {
  readonly id: string;
  readonly name: string;
  readonly #startedAt: number;
  #args: Json | undefined;
  #byProvider = false;
  #output = '';

  constructor(id: string, name: string, startedAt: number) {
    this.id = id;
    this.name = name;
    this.#startedAt = startedAt;
  }

  setArguments(args: Json | undefined, byProvider = false): void {
    this.#args = args;
    this.#byProvider = byProvider;
  }

  /** Keeps the end of the output, which is shown while the tool runs. */
  addOutput(output: string): void {
    this.#output = (this.#output + output).slice(-TAIL_CHARACTERS);
  }

  get title(): string {
    return this.#byProvider ? this.#providerLine() : toolTitle(this.name, this.#args);
  }

  #providerLine(result?: ToolResultPart): string {
    return providerLine({ tool_name: this.name, args: this.#args }, result);
  }

  live({ width, style }: Page, now: number): string[] {
    const time = duration(Math.max(0, Math.floor((now - this.#startedAt) / 1000) * 1000));
    const head = `${style('yellow', '●')} ${truncate(this.title, width - 12)} ${style('dim', time)}`;
    const tail = terminalText(this.#output).trimEnd().split('\n').slice(-LIVE_LINES);
    const lines = tail
      .filter((line) => line !== '')
      .map((line) => style('dim', truncate(`  ${line}`, width)));
    return [head, ...lines];
  }

  /** The lines of a finished call. Long output is truncated. */
  finished(part: ToolResultPart, page: Page): string[] {
    const { width, style } = page;
    const ended = Date.parse(part.created_at ?? '');
    const took = ended - this.#startedAt;
    const time = Number.isFinite(took) && took >= 0 ? ` ${style('dim', duration(took))}` : '';
    const mark = part.is_error === true ? style('red', '✗') : style('green', '✓');
    if (part.provider_executed === true) {
      return [`${mark} ${truncate(this.#providerLine(part), width - 14)}${time}`];
    }
    const head = `${mark} ${truncate(this.title, width - 14)}${time}`;
    const all = resultText(part).trimEnd();
    if (all === '') return [head];
    const lines = all.split('\n');
    const paint = (line: string) => style('dim', line);
    const shown = lines
      .slice(0, SHOWN_LINES)
      .flatMap((line) => wrap(line, width, { first: '  ', verbatim: true, paint }).slice(0, 2));
    const left = lines.length - SHOWN_LINES;
    const more = left > 0 ? [style('dim', `  … ${left} more lines (/output shows all)`)] : [];
    return [head, ...shown, ...more];
  }
}

/** The result of a tool as text for a terminal. */
export function resultText({ result }: Pick<ToolResultPart, 'result'>): string {
  if (result === undefined || result === null) return '';
  if (typeof result === 'string') return terminalText(result);
  const fields = result as Readonly<Record<string, unknown>>;
  const output = fields['output'] ?? fields['stdout'] ?? fields['content'] ?? fields['text'];
  return terminalText(typeof output === 'string' ? output : JSON.stringify(result, null, 2));
}
