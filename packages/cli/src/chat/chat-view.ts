import type { StreamedEvent } from '@chatd/client';
import type {
  AwaitedCall,
  ChatStatus,
  Message,
  Part,
  QueuedMessage,
  Retry,
  SourcePart,
  ToolResultPart,
} from '@chatd/protocol';
import {
  citationMark,
  MessageSources,
  readableContent,
  type ReadablePart,
} from '@chatd/protocol/presentation';
import { markOf, sourceLine } from '../chats/provider-line.ts';
import { duration, money, tokens } from '../output/quantities.ts';
import { oneLine } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { MarkdownStream } from '../terminal/markdown-stream.ts';
import { noticeLines, reasoningLine, reasoningLines, userLines } from './message-view.ts';
import { resultText, ToolView } from './tool-view.ts';

/** Messages that are printed when a chat is opened. */
const HISTORY_SHOWN = 30;
/** One more, to know whether there are earlier ones. */
export const HISTORY_READ = HISTORY_SHOWN + 1;

interface Thinking {
  readonly since: number;
  text: string;
  createdAt: string | undefined;
  completedAt: string | undefined;
}

/** Turns the events of a chat into lines: `take` returns final lines once, `live` returns those that still change. */
export class ChatView {
  readonly #now: () => number;
  readonly #isNew: boolean;
  readonly #messages = new Map<number, Message>();
  readonly #tools = new Map<string, ToolView>();
  /** The text parts of this attempt. */
  #texts: MarkdownStream[] = [];
  #lastWasText = false;
  #sources = new MessageSources();
  /** Provider-executed calls of this attempt whose results are printed. */
  readonly #reported = new Set<string>();
  #thinking: Thinking | undefined;
  /** Number of printed reasoning parts of this attempt. */
  #thoughts = 0;
  #turnSince: number | undefined;
  #turnFrom = 0;
  /** The initial state of the chat has been received. */
  #complete = false;
  #gap = false;
  status: ChatStatus = 'waiting';
  queue: readonly QueuedMessage[] = [];
  awaited: readonly AwaitedCall[] = [];
  retry: Retry | undefined;
  /** Print reasoning in full. */
  showsReasoning = false;
  lastReasoning = '';
  lastOutput = '';

  /** `isNew`: the chat was just created, and its first turn may end before the stream connects. */
  constructor(now: () => number, isNew = false) {
    this.#now = now;
    this.#isNew = isNew;
  }

  get messages(): readonly Message[] {
    return [...this.#messages.values()];
  }

  get isBusy(): boolean {
    return this.status === 'running' || this.status === 'interrupting';
  }

  /** Returns final lines. */
  take(event: StreamedEvent, page: Page): string[] {
    switch (event.type) {
      case 'message':
        return this.#message(event.message, page);
      case 'message_part':
        this.retry = undefined;
        return this.#part(event.part, page);
      case 'preview_reset':
        return this.#reset(page);
      case 'history_reset':
        this.#messages.clear();
        return this.#spaced(
          noticeLines('A message was edited. The updated history follows.', page),
        );
      case 'status':
        return this.#status(event.status, page);
      case 'queue_update':
        this.queue = event.queued_messages;
        return [];
      case 'action_required':
        this.awaited = event.tool_calls;
        return [];
      case 'retry':
        this.retry = event;
        return [];
      case 'viewers':
        return [];
      case 'error':
        return this.#spaced([
          ...noticeLines(`✗ ${event.error.message}`, page, 'red'),
          ...(event.error.detail === undefined ? [] : noticeLines(event.error.detail, page)),
          ...noticeLines(hintFor(event.error.kind), page),
        ]);
    }
  }

  /** Returns lines that still change, with at most `rows` lines of text. */
  live(page: Page, rows: number): string[] {
    const now = this.#now();
    const lines = this.#texts.flatMap((stream) => stream.live(page));
    if (lines.length > 0 && !this.#texts.some(({ begun }) => begun) && this.#gap) lines.unshift('');
    const cut = lines.length > rows ? [page.style('dim', '…'), ...lines.slice(-rows + 1)] : lines;
    return [...cut, ...this.#activity(page, now)];
  }

  #activity(page: Page, now: number): string[] {
    const { style } = page;
    const lines: string[] = [];
    for (const tool of this.#tools.values()) {
      const waits = this.awaited.some(({ tool_call_id }) => tool_call_id === tool.id);
      if (!waits) lines.push(...tool.live(page, now));
    }
    if (this.retry !== undefined) {
      const left = Math.max(0, Math.ceil((Date.parse(this.retry.retrying_at) - now) / 1000));
      const when = left === 0 ? 'now' : `in ${left} s`;
      lines.push(
        ...noticeLines(
          `↻ ${oneLine(this.retry.error)} Retrying ${when} (attempt ${this.retry.attempt + 1}).`,
          page,
          'yellow',
        ),
      );
    } else if (this.#thinking !== undefined) {
      lines.push(style('dim', `∴ thinking … ${seconds(now - this.#thinking.since)}`));
    } else if (this.status === 'interrupting') {
      lines.push(style('yellow', '■ interrupting …'));
    } else if (this.status === 'running' && lines.length === 0 && this.#texts.length === 0) {
      lines.push(style('dim', `… working ${seconds(now - (this.#turnSince ?? now))}`));
    }
    return lines.length > 0 && (this.#gap || this.#texts.length > 0) ? ['', ...lines] : lines;
  }

  /** Prints nothing until the whole history is there. */
  #message(message: Message, page: Page): string[] {
    this.#messages.set(message.id, message);
    if (!this.#complete) return [];
    return this.#printed(message, page);
  }

  #printed(message: Message, page: Page): string[] {
    const lines: string[] = [];
    if (message.role === 'user') {
      this.#turnFrom = message.id;
      this.#turnSince ??= this.#now();
      return this.#spaced(userLines(message, page));
    }
    let texts = 0;
    let thoughts = 0;
    lines.push(...this.#endReasoning(page));
    const { parts, sources } = readableContent(message.content, markOf);
    for (const part of parts) {
      if (
        part.type === 'reasoning' &&
        part.text.trim() !== '' &&
        (thoughts += 1) <= this.#thoughts
      ) {
        this.lastReasoning = part.text;
      } else if (part.type === 'text') {
        lines.push(...this.#committedText(part.text, texts, page));
        texts += 1;
      } else {
        lines.push(...this.#committedPart(part, page));
      }
    }
    const listed = sources.flatMap((source) => noticeLines(sourceLine(source), page));
    return [...lines, ...this.#spaced(listed)];
  }

  /** Ends the current reasoning part. */
  #endReasoning(page: Page): string[] {
    const thinking = this.#thinking;
    this.#thinking = undefined;
    if (thinking === undefined || thinking.text.trim() === '') return [];
    this.#thoughts += 1;
    this.lastReasoning = thinking.text;
    const ended = thinking.completedAt ?? new Date(this.#now()).toISOString();
    return this.#reasoning(thinking.text, thinking.createdAt, ended, page);
  }

  #reasoning(
    text: string,
    created_at: string | undefined,
    completed_at: string | undefined,
    page: Page,
  ): string[] {
    const line = reasoningLine(created_at, completed_at, page);
    return this.#spaced(this.showsReasoning ? [line, ...reasoningLines(text, page)] : [line]);
  }

  /** Prints only the text that was not streamed before. */
  #committedText(text: string, index: number, page: Page): string[] {
    const stream = this.#texts[index];
    if (stream === undefined || !text.startsWith(stream.text)) {
      const whole = new MarkdownStream();
      const lines = [...whole.push(text, page), ...whole.finish(page)];
      if (stream !== undefined) this.#texts[index] = whole;
      return this.#spaced(lines);
    }
    const { begun } = stream;
    const lines = [...stream.push(text.slice(stream.text.length), page), ...stream.finish(page)];
    return begun ? lines : this.#spaced(lines);
  }

  #committedPart(part: ReadablePart, page: Page): string[] {
    switch (part.type) {
      case 'reasoning': {
        if (part.text.trim() === '') return [];
        this.lastReasoning = part.text;
        return this.#reasoning(part.text, part.created_at, part.completed_at, page);
      }
      case 'tool-call':
        if (this.#reported.has(part.tool_call_id)) return [];
        this.#tool(part.tool_call_id, part.tool_name, part.created_at).setArguments(
          part.args,
          part.provider_executed,
        );
        return [];
      case 'tool-result':
        return this.#reported.has(part.tool_call_id) ? [] : this.#result(part, page);
      case 'text':
      case 'file':
      case 'file-reference':
        return [];
    }
  }

  #result(part: ToolResultPart, page: Page): string[] {
    const tool = this.#tool(part.tool_call_id, part.tool_name, part.created_at);
    this.#tools.delete(part.tool_call_id);
    this.lastOutput = resultText(part);
    return this.#spaced(tool.finished(part, page));
  }

  /** Prints provider results as they arrive, before the text that cites them. */
  #liveResult(part: ToolResultPart, page: Page): string[] {
    if (part.provider_executed !== true || part.result === undefined) {
      this.#tools.get(part.tool_call_id)?.addOutput(part.result_delta ?? '');
      return [];
    }
    this.#sources.add(part, '');
    this.#reported.add(part.tool_call_id);
    return this.#result(part, page);
  }

  #cite(source: SourcePart, page: Page): string[] {
    const stream = this.#lastWasText ? this.#texts.at(-1) : undefined;
    const before = stream?.text ?? '';
    const number = this.#sources.add(source, before);
    if (number === undefined || stream === undefined) return [];
    const { begun } = stream;
    const lines = stream.push(citationMark(before, markOf(number)), page);
    return begun ? lines : this.#spaced(lines);
  }

  /** Adds a part of the stream. */
  #part(part: Part, page: Page): string[] {
    if (part.type === 'source') return this.#cite(part, page);
    const isText = part.type === 'text';
    const continues = isText && this.#lastWasText;
    this.#lastWasText = isText;
    switch (part.type) {
      case 'text': {
        const thought = this.#endReasoning(page);
        if (!continues) this.#texts.push(new MarkdownStream());
        const stream = this.#texts.at(-1);
        if (stream === undefined) return thought;
        const { begun } = stream;
        const lines = stream.push(part.text, page);
        return [...thought, ...(begun ? lines : this.#spaced(lines))];
      }
      case 'reasoning':
        this.#thinking ??= {
          since: this.#now(),
          text: '',
          createdAt: part.created_at,
          completedAt: undefined,
        };
        this.#thinking.text += part.text;
        this.#thinking.completedAt ??= part.completed_at;
        return part.completed_at === undefined ? [] : this.#endReasoning(page);
      case 'tool-call': {
        const tool = this.#tool(part.tool_call_id, part.tool_name, part.created_at);
        if (part.args !== undefined) tool.setArguments(part.args, part.provider_executed);
        return this.#endReasoning(page);
      }
      case 'tool-result':
        return this.#liveResult(part, page);
      case 'file':
      case 'file-reference':
        return [];
    }
  }

  #tool(id: string, name: string, createdAt: string | undefined): ToolView {
    const known = this.#tools.get(id);
    if (known !== undefined) return known;
    const at = Date.parse(createdAt ?? '');
    const tool = new ToolView(id, name, Number.isFinite(at) ? at : this.#now());
    this.#tools.set(id, tool);
    return tool;
  }

  /** The attempt was committed or failed. Printed text of a failed attempt cannot be removed. */
  #reset(page: Page): string[] {
    const lost = this.#texts.some((stream) => stream.begun && stream.live(page).length > 0);
    this.#texts = [];
    this.#lastWasText = false;
    this.#sources = new MessageSources();
    this.#reported.clear();
    this.#thinking = undefined;
    this.#thoughts = 0;
    return lost && this.retry !== undefined
      ? this.#spaced(noticeLines('(discarded: the model call failed and is retried)', page))
      : [];
  }

  #status(status: ChatStatus, page: Page): string[] {
    const before = this.status;
    this.status = status;
    const lines = this.#complete ? [] : this.#history(page);
    if (status !== 'requires_action') this.awaited = [];
    if (status === 'running') this.#turnSince ??= this.#now();
    if (status !== 'waiting' && status !== 'error') return lines;
    this.retry = undefined;
    this.#tools.clear();
    const ended = before === 'running' || before === 'interrupting' || before === 'requires_action';
    const isNew = lines.length > 0 && this.#isNew;
    if (isNew || (lines.length === 0 && ended)) lines.push(...this.#summary(before, page));
    this.#turnSince = undefined;
    return lines;
  }

  #history(page: Page): string[] {
    this.#complete = true;
    const all = this.messages;
    const shown = all.slice(-HISTORY_SHOWN);
    const lines = shown.flatMap((message) => this.#printed(message, page));
    if (all.length === shown.length) return lines;
    return [...noticeLines('… earlier messages: chatd chats show', page), ...lines];
  }

  /** Duration, tokens and cost of the turn. */
  #summary(before: ChatStatus, page: Page): string[] {
    const turn = this.messages.filter(
      ({ id, role }) => id > this.#turnFrom && role === 'assistant',
    );
    const sum = (of: (message: Message) => number | undefined) =>
      turn.reduce((total, message) => total + (of(message) ?? 0), 0);
    const cost = sum(({ cost_micros }) => cost_micros);
    const facts = [
      // The status `interrupting` may have passed before the stream connected.
      ...(before === 'interrupting' || turn.at(-1)?.cut_off === 'interrupted'
        ? ['interrupted']
        : []),
      ...(this.#turnSince === undefined ? [] : [duration(this.#now() - this.#turnSince)]),
      `${tokens(sum(({ usage }) => usage?.input_tokens))} in`,
      `${tokens(sum(({ usage }) => usage?.output_tokens))} out`,
      ...(cost > 0 ? [money(cost)] : []),
    ];
    return this.#spaced(noticeLines(facts.join(' · '), page));
  }

  /** Separates blocks with an empty line. */
  #spaced(lines: string[]): string[] {
    if (lines.length === 0) return [];
    const spaced = this.#gap ? ['', ...lines] : lines;
    this.#gap = true;
    return spaced;
  }
}

const seconds = (ms: number) => `${Math.max(0, Math.floor(ms / 1000))} s`;

function hintFor(kind: string): string {
  switch (kind) {
    case 'auth':
    case 'missing_key':
      return 'Update the provider key with chatd provider update NAME --key, then send the message again.';
    case 'provider_disabled':
    case 'config':
      return 'Choose another model with /model, or fix its configuration.';
    case 'model_restricted':
      return 'Choose another model with /model, or ask an admin for access.';
    case 'context_length':
      return 'Shorten the history with /compact, or choose another model with /model.';
    case 'spend_limit':
    case 'usage_limit':
      return 'Ask an admin to raise the limit, or choose another model with /model.';
    case 'step_limit':
      return 'Send a message to continue.';
    default:
      return 'Send a message to retry, or choose another model with /model.';
  }
}
