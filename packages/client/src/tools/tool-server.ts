import type { AwaitedCall, Json } from '@chatd/protocol';
import { sleep } from '@chatd/protocol/clock';
import { backoffMs } from '../backoff.ts';
import type { Connection } from '../connection.ts';
import { isRetryable, perform } from '../perform.ts';
import { ChatdProblem } from '../problem.ts';
import { ROUTES } from '../route-table.ts';
import type { StreamedEvent } from '../stream/streams.ts';
import { dynamicCalls } from '../turn/turn.ts';
import { checkArguments } from './arguments.ts';
import type { AnyTools } from './tool.ts';

/** Abort reason of a tool whose result is no longer needed. */
export class NotAwaited extends Error {
  override readonly name = 'NotAwaited';

  constructor() {
    super('The chat is no longer waiting for this call.');
  }
}

export interface ToolServerOptions {
  readonly chatId: string;
  readonly tools: AnyTools;
  /** True if calls of unknown tools belong to another program. */
  readonly shared: boolean;
  /** Called on an error that prevents all further answers. */
  readonly onError: (error: unknown) => void;
}

interface ToolResult {
  readonly tool_call_id: string;
  readonly output: Json;
  readonly is_error?: boolean;
}

/** The pending calls of a chat. Their results are submitted together. */
interface Work {
  readonly ids: readonly string[];
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const BACKOFF = { firstMs: 1000, capMs: 30_000 };

/** Runs the calls that a chat's events request. */
export class ToolServer {
  readonly #connection: Connection;
  readonly #options: ToolServerOptions;
  #work: Work | undefined;

  constructor(connection: Connection, options: ToolServerOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  handle(event: StreamedEvent): void {
    if (event.type === 'action_required') this.#asked(dynamicCalls(event.tool_calls));
    else if (event.type === 'status' && event.status !== 'requires_action') this.#asked([]);
  }

  /** Aborts running calls. */
  async stop(): Promise<void> {
    const work = this.#work;
    this.#asked([]);
    await work?.done;
  }

  #asked(calls: readonly AwaitedCall[]): void {
    const ids = calls.map((call) => call.tool_call_id);
    // The same calls again: another part of the request was answered.
    if (this.#work !== undefined && sameIds(this.#work.ids, ids)) return;
    this.#work?.abort.abort(new NotAwaited());
    this.#work = undefined;
    if (calls.length === 0 || this.#isForOthers(calls)) return;
    const abort = new AbortController();
    const done = this.#answer(calls, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) this.#options.onError(error);
    });
    this.#work = { ids, abort, done };
  }

  #isForOthers(calls: readonly AwaitedCall[]): boolean {
    const { shared, tools } = this.#options;
    return shared && !calls.some((call) => Object.hasOwn(tools, call.tool_name));
  }

  async #answer(calls: readonly AwaitedCall[], signal: AbortSignal): Promise<void> {
    const running = Promise.all(calls.map((call) => this.#run(call, signal)));
    // A tool that ignores its signal must not delay the abort.
    const results = await Promise.race([running, aborted(signal)]);
    if (!signal.aborted) await this.#submit(results, signal);
  }

  async #run(call: AwaitedCall, signal: AbortSignal): Promise<ToolResult> {
    const { tool_call_id, tool_name } = call;
    const { tools, chatId } = this.#options;
    const tool = Object.hasOwn(tools, tool_name) ? tools[tool_name] : undefined;
    const failed = (output: string) => ({ tool_call_id, output, is_error: true });
    if (tool === undefined) return failed(`Unknown tool ${tool_name}.`);
    try {
      const checked = await checkArguments(tool_name, tool, call.args);
      if ('problem' in checked) return failed(checked.problem);
      const context = { chatId, toolCallId: tool_call_id, signal };
      const output: unknown = await tool.run(checked.args as never, context);
      return { tool_call_id, output: asJson(output) };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  /** Retries until submitted or no longer needed, with one key so that the submission takes effect once. */
  async #submit(results: readonly ToolResult[], signal: AbortSignal): Promise<void> {
    const { clock, random, newKey } = this.#connection;
    const idempotencyKey = newKey();
    for (let tries = 0; ; tries += 1) {
      try {
        await perform(this.#connection, ROUTES.submitToolResults, {
          params: { chat_id: this.#options.chatId },
          body: { results },
          idempotencyKey,
          signal,
        });
        return;
      } catch (error) {
        if (isAnswered(error)) return;
        if (error instanceof ChatdProblem && error.code === 'body_too_large') {
          return await this.#submit(results.map(tooLarge), signal);
        }
        if (!isRetryable(error)) throw error;
        await sleep(clock, backoffMs(tries, BACKOFF, random), signal);
      }
    }
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

const sameIds = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((id) => others.includes(id));

/** Another program was faster, or the turn is over. */
const isAnswered = (error: unknown) =>
  error instanceof ChatdProblem &&
  ['not_waiting_for_tools', 'tool_results_mismatch', 'chat_archived'].includes(error.code);

/** Lets the model request less. */
const tooLarge = ({ tool_call_id }: ToolResult): ToolResult => ({
  tool_call_id,
  output: 'The results of this step are too large. Request less data.',
  is_error: true,
});

/** Drops values that JSON cannot represent. Undefined becomes null. */
function asJson(output: unknown): Json {
  const text = JSON.stringify(output) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}
