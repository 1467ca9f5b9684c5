import type {
  AwaitedCall,
  ChatStatus,
  Message,
  ToolCallPart,
  ToolResultPart,
} from '@chatd/protocol';
import type { ToolState, ToolView } from '../../timeline/tools/tool-view.ts';
import { Cell, type ReadableCell } from '../cell.ts';
import { timeOf } from './pieces.ts';

/** The result text that the loop writes for interrupted calls. */
const INTERRUPTED = 'tool call was interrupted before it produced a result';
/** The visible end of streaming output. The result has all of it. */
const OUTPUT_KEPT = 64_000;
/** The start of streaming arguments, which names the target. */
const ARGUMENTS_KEPT = 16_000;

interface Entry {
  call: ToolCallPart;
  result: ToolResultPart | undefined;
  /** Streaming, not committed. */
  liveCall: boolean;
  liveResult: boolean;
  readonly view: Cell<ToolView>;
}

/** All calls with their results. Each card subscribes to its own call. */
export class ToolCalls {
  readonly #entries = new Map<string, Entry>();
  /** Calls without a result. Their state depends on the chat's. */
  readonly #open = new Set<string>();
  /** Changed since the views were last notified. */
  readonly #changed = new Set<string>();
  #status: ChatStatus = 'waiting';
  #awaited: ReadonlyMap<string, AwaitedCall> = new Map();

  view(callId: string): ReadableCell<ToolView> | undefined {
    return this.#entries.get(callId)?.view;
  }

  commit(message: Message): void {
    for (const part of message.content) {
      if (part.type === 'tool-call') this.#call(part, false);
      if (part.type === 'tool-result') this.#result(part, false);
    }
  }

  /** Applies a delta of a call or of its output. */
  hear(part: ToolCallPart | ToolResultPart): void {
    if (part.type === 'tool-call') this.#call(part, true);
    else this.#result(part, true);
  }

  /** The preview was dropped: uncommitted calls are removed. */
  reset(): void {
    for (const [id, entry] of this.#entries) {
      if (entry.liveCall) {
        this.#entries.delete(id);
        this.#open.delete(id);
        this.#changed.delete(id);
      } else if (entry.liveResult) {
        entry.result = undefined;
        entry.liveResult = false;
        this.#open.add(id);
        this.#changed.add(id);
      }
    }
  }

  follow(status: ChatStatus, awaited: readonly AwaitedCall[]): void {
    this.#status = status;
    this.#awaited = new Map(awaited.map((call) => [call.tool_call_id, call]));
    for (const id of this.#open) this.#changed.add(id);
  }

  /** Notifies the cards, once per frame. */
  tell(): void {
    for (const id of this.#changed) {
      const entry = this.#entries.get(id);
      entry?.view.set(this.#viewOf(entry));
    }
    this.#changed.clear();
  }

  #call(part: ToolCallPart, live: boolean): void {
    const id = part.tool_call_id;
    const known = this.#entries.get(id);
    this.#changed.add(id);
    if (known === undefined) {
      const view = new Cell<ToolView>({
        call: part,
        result: undefined,
        state: 'writing',
        awaited: undefined,
        startedAt: undefined,
        durationMs: undefined,
      });
      const entry: Entry = {
        call: part,
        result: undefined,
        liveCall: live,
        liveResult: false,
        view,
      };
      this.#entries.set(id, entry);
      this.#open.add(id);
      // A view requested within the frame is current.
      view.set(this.#viewOf(entry));
      return;
    }
    known.liveCall = live && known.liveCall;
    known.call =
      live && part.args === undefined ? grown(known.call, part) : { ...known.call, ...part };
  }

  #result(part: ToolResultPart, live: boolean): void {
    const entry = this.#entries.get(part.tool_call_id);
    if (entry === undefined || (live && entry.result !== undefined && !entry.liveResult)) return;
    entry.liveResult = live;
    entry.result = live && part.result === undefined ? grownOutput(entry.result, part) : part;
    if (entry.result.result !== undefined) this.#open.delete(part.tool_call_id);
    this.#changed.add(part.tool_call_id);
  }

  #viewOf({ call, result }: Entry): ToolView {
    const startedAt = timeOf(call.created_at);
    const endedAt = result?.result === undefined ? undefined : timeOf(result.created_at);
    const state = this.#stateOf(call, result);
    return {
      call,
      result,
      state,
      awaited: state === 'awaiting' ? this.#awaited.get(call.tool_call_id) : undefined,
      startedAt,
      durationMs:
        startedAt === undefined || endedAt === undefined
          ? undefined
          : Math.max(0, endedAt - startedAt),
    };
  }

  #stateOf(call: ToolCallPart, result: ToolResultPart | undefined): ToolState {
    if (result?.result !== undefined) {
      if (result.is_error !== true) return 'done';
      return result.result === INTERRUPTED ? 'interrupted' : 'failed';
    }
    if (this.#awaited.has(call.tool_call_id)) return 'awaiting';
    if (this.#status === 'waiting' || this.#status === 'error') return 'interrupted';
    return call.args === undefined ? 'writing' : 'running';
  }
}

function grown(before: ToolCallPart, next: ToolCallPart): ToolCallPart {
  const said = before.args_delta ?? '';
  return said.length > ARGUMENTS_KEPT
    ? before
    : { ...before, args_delta: said + (next.args_delta ?? '') };
}

function grownOutput(before: ToolResultPart | undefined, next: ToolResultPart): ToolResultPart {
  const output = (before?.result_delta ?? '') + (next.result_delta ?? '');
  // Trimmed rarely, so that appending stays cheap.
  const kept = output.length > 2 * OUTPUT_KEPT ? output.slice(-OUTPUT_KEPT) : output;
  return { ...before, ...next, result_delta: kept };
}
