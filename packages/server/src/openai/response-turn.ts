import { DENIED_RESULT } from '@chatd/loop';
import {
  type AwaitedCall,
  type Json,
  type Message,
  type Part,
  SUMMARY_TOOL,
  type ToolResultPart,
} from '@chatd/protocol';
import { ASK_TOOL, PLAN_TOOL } from '../chat/answers.ts';
import { INTERRUPTED } from '../chat/open-calls.ts';
import { asText, isSummary } from '../protocols/part-text.ts';
import { addUsage, type TurnUsage } from '../protocols/turn-usage.ts';
import type { EventPayload } from '../stream/plan-events.ts';
import { responseSuffix } from './ids.ts';
import { APPROVAL_PREFIX } from './input.ts';
import {
  type FunctionCallItem,
  messageItem,
  type OutputItem,
  outcomeOf,
  reasoningItem,
  responseError,
  type ResponseHead,
  responseObject,
  type ResponseOutcome,
  type ResponseUsage,
  responseUsage,
  SERVER_LABEL,
  type ServerCallItem,
} from './response-object.ts';
import { countOf, FIRST_PLACE, placeAfter, sequenceNumber } from './sequence.ts';

/** An event of a response. `sequence_number` is its last field. */
export interface ResponseEvent {
  readonly type: string;
  sequence_number?: number;
  readonly [field: string]: unknown;
}

interface Call {
  readonly name: string;
  readonly args: Json;
  /** Made in this response, not in the one before it. */
  readonly own: boolean;
  answered: boolean;
}

/** The item that takes more text. */
type OpenText = ReturnType<typeof messageItem | typeof reasoningItem>;

/** The events of texts and of reasoning. */
const TEXTS = {
  text: {
    prefix: 'msg',
    part: 'response.content_part',
    text: 'response.output_text',
    index: { content_index: 0 },
    more: { logprobs: [] },
    empty: { content: [] },
  },
  reasoning: {
    prefix: 'rs',
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
    index: { summary_index: 0 },
    more: {},
    empty: { summary: [] },
  },
};

const EDITED = {
  code: 'server_error',
  message: 'An earlier message of the chat was edited, and this response was discarded.',
};

/**
 * Translates the events of a chat into the events of one response. Live parts are sent as they arrive. When their step is
 * committed, or after a failed attempt, the step is translated again from its start, and only what the client lacks is
 * sent. The same happens with the number that a client resumes from: `seen`.
 */
export class ResponseTurn {
  readonly #head: ResponseHead;
  readonly #suffix: string;
  readonly #clientTools: ReadonlySet<string>;
  readonly #items: OutputItem[] = [];
  #open: OpenText | undefined;
  readonly #calls = new Map<string, Call>();
  /** Of calls that the provider executes. */
  readonly #providerArgs = new Map<string, Json>();
  /** After the last translated content, and after the last committed message. */
  #place = FIRST_PLACE;
  #mark = { place: FIRST_PLACE, items: 0 };
  /** The canonical number of the last event that the client has, and the number that it was sent with. */
  #seen: number;
  #number: number;
  /** The client has seen content that is not part of this step. */
  #muted = false;
  /** There are live parts since the last commit, and the client was sent some. */
  #live = false;
  #sentLive = false;
  #begun: boolean;
  #last: Message['role'] | undefined;
  #lastResponse: Message | undefined;
  #interrupted = false;
  #failed = false;
  #usage: TurnUsage | undefined;
  #outcome: ResponseOutcome = { status: 'in_progress' };
  #out: ResponseEvent[] = [];

  /** `seen`: the sequence number of the last event that the client has. Default: none. */
  constructor(head: ResponseHead, seen = -1) {
    this.#head = head;
    this.#suffix = responseSuffix(head.ref);
    this.#clientTools = new Set(head.chat.dynamic_tools.map(({ name }) => name));
    this.#seen = seen;
    this.#number = seen;
    this.#begun = head.ref.start.kind !== 'queued';
  }

  get over(): boolean {
    return this.#outcome.status !== 'in_progress';
  }

  get outcome(): ResponseOutcome {
    return this.#outcome;
  }

  get items(): readonly OutputItem[] {
    return this.#items;
  }

  get usage(): ResponseUsage | null {
    return this.#usage === undefined ? null : responseUsage(this.#usage);
  }

  get response(): object {
    return responseObject(this.#head, this.#outcome, this.#items, this.usage);
  }

  /** The events before any content. */
  start(): ResponseEvent[] {
    this.#out = [];
    const { response } = this;
    this.#event('created', { type: 'response.created', response });
    this.#event('in_progress', { type: 'response.in_progress', response });
    this.#commit();
    return this.#out;
  }

  take(event: EventPayload): ResponseEvent[] {
    this.#out = [];
    if (!this.over) this.#take(event);
    return this.#out;
  }

  #take(event: EventPayload): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.message);
      case 'message_part':
        if (!this.#begun || event.role !== 'assistant') return;
        this.#live = true;
        return this.#part(event.part);
      case 'preview_reset':
        return this.#live ? this.#rollBack() : undefined;
      case 'status':
        this.#failed = event.status === 'error';
        if (event.status === 'interrupting') this.#interrupted = true;
        if (event.status !== 'waiting') return;
        return this.#finish(outcomeOf(this.#lastResponse, this.#interrupted));
      case 'action_required':
        return this.#begun ? this.#await(event.tool_calls) : undefined;
      case 'error':
        if (!this.#failed) return;
        return this.#finish({ status: 'failed', error: responseError(event.error) });
      case 'history_reset':
        return this.#finish({ status: 'failed', error: EDITED });
      case 'retry':
      case 'queue_update':
      case 'viewers':
      case 'ping':
        return;
    }
  }

  #message(message: Message): void {
    const { start } = this.#head.ref;
    const { role, id } = message;
    if (!this.#begun) {
      this.#begun = message.queued_message_id === start.id;
      return;
    }
    if (start.kind !== 'queued' && id <= start.id) {
      if (id === start.id) this.#remember(message, false);
      return;
    }
    if (role === 'user') {
      if (message.steered === true) return;
      // A turn ends with a response, unless it was interrupted or has failed.
      const isCut = this.#interrupted || this.#last === 'tool';
      return this.#finish(outcomeOf(this.#lastResponse, isCut));
    }
    if (role === 'assistant') this.#step(message);
    else if (role === 'tool') this.#results(message);
    if (!message.content.every(isSummary)) this.#last = role;
  }

  // Committed messages ------------------------------------------------------------------------

  #step(message: Message): void {
    this.#rollBack();
    for (const part of message.content) this.#part(part);
    this.#close(message.cut_off === undefined ? 'completed' : 'incomplete');
    if (this.#muted || (this.#sentLive && countOf(this.#seen) > this.#place.count)) {
      // The client has deltas of an attempt that failed. The whole items replace them.
      this.#muted = false;
      for (const [index, item] of this.#items.entries()) {
        if (index >= this.#mark.items) this.#send(this.#itemDone(index, item));
      }
    }
    this.#remember(message, true);
    this.#lastResponse = message;
    this.#usage = addUsage(this.#usage, message.usage);
    this.#commit();
  }

  #results({ content, runtime_ms }: Message): void {
    const results = content.filter(
      (part) => part.type === 'tool-result' && !isSummary(part),
    ) as ToolResultPart[];
    const byClient = (part: ToolResultPart) =>
      runtime_ms === undefined && part.result !== INTERRUPTED && !isDenied(part);
    const waited = results.filter((part) => byClient(part) || wasApproved(part));
    if (waited.some((part) => this.#calls.get(part.tool_call_id)?.own === true)) {
      // The chat has waited for a client or a user, which ended the response.
      const answers = new Set(waited.filter(byClient).map((part) => part.tool_call_id));
      return this.#await(
        [...this.#calls].flatMap(([tool_call_id, { name, args, own, answered }]) => {
          if (!own || answered) return [];
          const kind = answers.has(tool_call_id) || isQuestion(name) ? 'dynamic' : 'approval';
          return [{ tool_call_id, tool_name: name, args, kind }];
        }),
      );
    }
    for (const part of results) {
      const call = this.#calls.get(part.tool_call_id);
      if (call !== undefined) call.answered = true;
      if (part.result === INTERRUPTED) this.#interrupted = true;
      if (!byClient(part) && !this.#clientTools.has(part.tool_name)) {
        this.#serverCall(part, call?.args ?? {});
      }
    }
    this.#commit();
  }

  #remember({ content }: Message, own: boolean): void {
    for (const part of content) {
      if (part.type !== 'tool-call' || part.tool_name === SUMMARY_TOOL) continue;
      const answered = part.provider_executed === true;
      const call = { name: part.tool_name, args: part.args ?? {}, own, answered };
      this.#calls.set(part.tool_call_id, call);
    }
  }

  /** The chat waits for these calls: function calls for the client, and approvals. */
  #await(calls: readonly Omit<AwaitedCall, 'pattern'>[]): void {
    for (const { tool_call_id: id, tool_name: name, kind, ...call } of calls) {
      const args = this.#calls.get(id)?.args ?? call.args;
      if (kind !== 'approval' || this.#clientTools.has(name)) {
        this.#functionCall(id, name, args);
        continue;
      }
      this.#add(id, {
        type: 'mcp_approval_request',
        id: `${APPROVAL_PREFIX}${id}`,
        server_label: SERVER_LABEL,
        name,
        arguments: asText(args),
      });
      this.#itemEnds();
    }
    this.#finish({ status: 'completed' });
  }

  // Parts -------------------------------------------------------------------------------------

  #part(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return this.#say(part.type, part.text);
      case 'source': {
        const { url, title = '' } = part;
        if (this.#open?.kind !== 'text') return;
        const { text, annotations } = this.#open.part;
        const place = { start_index: text.length, end_index: text.length };
        annotations.push({ type: 'url_citation', url, title, ...place });
        return;
      }
      case 'tool-call': {
        this.#close();
        const { tool_call_id, tool_name, args } = part;
        if (args === undefined) return;
        if (part.provider_executed === true) this.#providerArgs.set(tool_call_id, args);
        else if (this.#clientTools.has(tool_name))
          this.#functionCall(tool_call_id, tool_name, args);
        return;
      }
      case 'tool-result':
        if (part.result !== undefined && part.tool_name !== SUMMARY_TOOL) {
          this.#close();
          this.#serverCall(part, this.#providerArgs.get(part.tool_call_id) ?? {});
        }
        return;
      case 'file':
      case 'file-reference':
        return this.#close();
    }
  }

  #say(kind: keyof typeof TEXTS, text: string): void {
    if (text === '') return;
    if (this.#open?.kind !== kind) this.#close();
    this.#open ??= this.#begin(kind);
    this.#open.part.text += text;
    this.#delta(text, this.#open);
  }

  #begin(kind: keyof typeof TEXTS): OpenText {
    const { prefix, part: type, index, empty } = TEXTS[kind];
    const open =
      kind === 'text' ? messageItem(this.#newId(prefix)) : reasoningItem(this.#newId(prefix));
    const { item, part } = open;
    this.#add(item.type, item, empty);
    const added = { ...part, ...('annotations' in part && { annotations: [] }) };
    this.#event('part', { type: `${type}.added`, ...this.#at(item), ...index, part: added });
    return open;
  }

  /** Ends the open text or reasoning. */
  #close(status: 'completed' | 'incomplete' = 'completed'): void {
    if (this.#open === undefined) return;
    const { kind, item, part } = this.#open;
    this.#open = undefined;
    if (item.type === 'message') item.status = status;
    const { text: type, part: partType, index, more } = TEXTS[kind];
    const at = { ...this.#at(item), ...index };
    this.#event('text', { type: `${type}.done`, ...at, text: part.text, ...more });
    this.#event('part', { type: `${partType}.done`, ...at, part });
    this.#itemEnds();
  }

  /** Arguments are one delta: the text that the model streams is not stored. */
  #functionCall(callId: string, name: string, args: Json): void {
    if (this.#items.some((item) => item.type === 'function_call' && item.call_id === callId))
      return;
    const json = asText(args);
    const item: FunctionCallItem = {
      type: 'function_call',
      id: this.#newId('fc'),
      call_id: callId,
      name,
      arguments: json,
      status: 'completed',
    };
    this.#add(callId, item, { arguments: '', status: 'in_progress' });
    const kind = 'response.function_call_arguments';
    this.#event('delta', { type: `${kind}.delta`, ...this.#at(item), delta: json });
    this.#event('done', { type: `${kind}.done`, ...this.#at(item), name, arguments: json });
    this.#itemEnds();
  }

  #serverCall(part: ToolResultPart, args: Json): void {
    const text = asText(part.result);
    const failed = part.is_error === true;
    const item: ServerCallItem = {
      type: 'mcp_call',
      id: this.#newId('mcp'),
      server_label: SERVER_LABEL,
      name: part.tool_name,
      arguments: asText(args),
      status: failed ? 'failed' : 'completed',
      output: failed ? null : text,
      error: failed ? text : null,
    };
    const begun = { status: 'in_progress', output: null, error: null };
    this.#add(part.tool_call_id, item, begun);
    this.#event(item.status, { type: `response.mcp_call.${item.status}`, ...this.#at(item) });
    this.#itemEnds();
  }

  // Events ------------------------------------------------------------------------------------

  #newId(prefix: string): string {
    return `${prefix}_${this.#suffix}_${this.#items.length}`;
  }

  #at({ id }: OutputItem) {
    return { item_id: id, output_index: this.#items.length - 1 };
  }

  #add(key: string, item: OutputItem, begun: object = {}): void {
    this.#items.push(item);
    const type = 'response.output_item.added';
    const shown = { ...item, ...begun };
    this.#event(key, { type, output_index: this.#items.length - 1, item: shown });
  }

  #itemEnds(): void {
    const index = this.#items.length - 1;
    const item = this.#items[index];
    if (item !== undefined) this.#event('item', this.#itemDone(index, item));
  }

  #itemDone(index: number, item: OutputItem): ResponseEvent {
    return { type: 'response.output_item.done', output_index: index, item };
  }

  #event(key: string, event: ResponseEvent): void {
    this.#place = placeAfter(this.#place, key, 1);
    if (this.#muted || this.#has()) return;
    this.#send(event);
  }

  #delta(text: string, { kind, item }: OpenText): void {
    const known = this.#muted ? 0 : countOf(this.#seen) - this.#place.count;
    let delta = text;
    if (known > 0) {
      this.#place = placeAfter(this.#place, text.slice(0, known), Math.min(known, text.length));
      this.#has();
      delta = text.slice(known);
      if (delta === '') return;
    }
    this.#place = placeAfter(this.#place, delta, delta.length);
    if (this.#muted) return;
    const { text: type, index, more } = TEXTS[kind];
    this.#send({ type: `${type}.delta`, ...this.#at(item), ...index, delta, ...more });
  }

  /** Whether the client has everything up to this place. If it has something else, the rest of the step is muted. */
  #has(): boolean {
    const ahead = countOf(this.#seen) - this.#place.count;
    if (ahead === 0 && this.#seen !== sequenceNumber(this.#place)) this.#muted = true;
    return ahead >= 0;
  }

  /** The number is that of the place. It is greater only for a client with deltas of a failed attempt. */
  #send(event: ResponseEvent): void {
    this.#seen = sequenceNumber(this.#place);
    this.#number = Math.max(this.#seen, this.#number + 1);
    this.#sentLive = true;
    event.sequence_number = this.#number;
    this.#out.push(event);
  }

  #commit(): void {
    this.#mark = { place: this.#place, items: this.#items.length };
    this.#live = false;
    this.#sentLive = false;
  }

  #rollBack(): void {
    this.#place = this.#mark.place;
    this.#items.length = this.#mark.items;
    this.#open = undefined;
    this.#muted = false;
    this.#live = false;
  }

  #finish(outcome: ResponseOutcome): void {
    if (this.#live) this.#rollBack();
    this.#muted = false;
    this.#outcome = outcome;
    this.#place = placeAfter(this.#place, outcome.status, 1);
    if (this.#seen === sequenceNumber(this.#place)) return;
    const { response } = this;
    this.#send({ type: `response.${ENDS[outcome.status] ?? outcome.status}`, response });
  }
}

/** OpenAI has no event for a canceled response. */
const ENDS: Partial<Record<ResponseOutcome['status'], string>> = { cancelled: 'incomplete' };

const isDenied = ({ result }: ToolResultPart) =>
  typeof result === 'string' && result.startsWith(DENIED_RESULT);

const wasApproved = (part: ToolResultPart) => part.started_at !== undefined || isDenied(part);

const isQuestion = (name: string) => name === ASK_TOOL || name === PLAN_TOOL;
