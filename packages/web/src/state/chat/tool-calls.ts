import type {
  AwaitedCall,
  ChatStatus,
  DecidedCall,
  Message,
  ToolCallPart,
  ToolResultPart,
} from '@chatd/protocol';
import type { ToolState, ToolView } from '../../timeline/tools/tool-view.ts';
import { Cell, type ReadableCell } from '../cell.ts';
import { timeOf } from './pieces.ts';

/** The result text that the loop writes for interrupted calls. */
const INTERRUPTED = 'tool call was interrupted before it produced a result';
/** The beginning of the result of calls that the user denied. A reason may follow. */
export const DENIED = 'The call was not run: the user denied it.';
/** The visible end of streaming output. The result has all of it. */
const OUTPUT_KEPT = 64_000;
/** The start of streaming arguments, which names the target. */
const ARGUMENTS_KEPT = 16_000;

/** Other calls only waited. */
const TIMED: ReadonlySet<ToolState> = new Set(['done', 'failed']);

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
  #decided: ReadonlyMap<string, DecidedCall['decision']> = new Map();
  /** Calls that waited for an approval: they start later than they were made. */
  readonly #asked = new Set<string>();

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

  follow(
    status: ChatStatus,
    awaited: readonly AwaitedCall[],
    decided: readonly DecidedCall[] = [],
  ): void {
    this.#status = status;
    this.#awaited = new Map(awaited.map((call) => [call.tool_call_id, call]));
    this.#decided = new Map(decided.map((call) => [call.tool_call_id, call.decision]));
    for (const { tool_call_id, kind } of awaited) {
      if (kind === 'approval') this.#asked.add(tool_call_id);
    }
    for (const id of this.#decided.keys()) this.#asked.add(id);
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
    const startedAt =
      timeOf(result?.started_at) ??
      (this.#asked.has(call.tool_call_id) ? undefined : timeOf(call.created_at));
    const endedAt = result?.result === undefined ? undefined : timeOf(result.created_at);
    const state = this.#stateOf(call, result);
    return {
      call,
      result,
      state,
      awaited: state === 'awaiting' ? this.#awaited.get(call.tool_call_id) : undefined,
      startedAt,
      durationMs:
        startedAt === undefined || endedAt === undefined || !TIMED.has(state)
          ? undefined
          : Math.max(0, endedAt - startedAt),
    };
  }

  #stateOf(call: ToolCallPart, result: ToolResultPart | undefined): ToolState {
    if (result?.result !== undefined) return endOf(result);
    if (this.#awaited.has(call.tool_call_id)) return 'awaiting';
    const decision = this.#decided.get(call.tool_call_id);
    if (decision !== undefined) return decision === 'allow' ? 'approved' : 'denied';
    if (this.#status === 'waiting' || this.#status === 'error') return 'interrupted';
    return call.args === undefined ? 'writing' : 'running';
  }
}

function endOf({ tool_name, result, is_error }: ToolResultPart): ToolState {
  if (is_error !== true) return tool_name === 'execute' && exitedBadly(result) ? 'failed' : 'done';
  if (result === INTERRUPTED) return 'interrupted';
  return typeof result === 'string' && result.startsWith(DENIED) ? 'denied' : 'failed';
}

/** The command ended with an exit code other than 0, or by a signal. */
function exitedBadly(result: ToolResultPart['result']): boolean {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  const { exit_code: code, signal } = result;
  return (typeof code === 'number' && code !== 0) || typeof signal === 'string';
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
