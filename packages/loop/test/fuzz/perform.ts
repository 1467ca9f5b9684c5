import { deepStrictEqual } from 'node:assert';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import {
  type ScriptedAnswer,
  type CapturedRequest,
  type Fault,
  fault,
  gate,
  type InProcessProvider,
  inProcessProvider,
} from '@chatd/testing';
import {
  Interrupted,
  MemoryFiles,
  MemoryHistory,
  runTurn,
  ShuttingDown,
  type TurnOptions,
  type TurnOutcome,
} from '@chatd/loop';
import { modelOf } from '../../../testing/test/support/models.ts';
import { prepareCall } from '../../src/prompt/prepare-call.ts';
import { openTurn } from '../../src/turn.ts';
import { openSearch } from '../support/paused-search.ts';
import { attachment } from './attachments.ts';
import type { Conversation, ConversationStep, Turn } from './conversation.ts';
import { readBack } from './read-back.ts';
import { CONTEXT_LIMIT, continued, render, renderSummary } from './render.ts';
import { type Target, TARGETS } from './targets.ts';
import { toolsFor } from './tools.ts';

/** The loop violated an invariant. */
class InvariantViolation extends Error {}

/** Runs a conversation, then an ordinary turn. Rejects if that turn fails or a provider rejected a request. */
export async function perform({ turns }: Conversation): Promise<void> {
  const runner = new ConversationRunner();
  for (const turn of turns) await runner.play(turn);
  await runner.playOrdinary(turns.at(-1)?.target ?? 0);
}

const MAX_RUNS = 20;
const isSummary = (request: unknown) =>
  JSON.stringify(request).includes('Answer with the summary alone');

class ConversationRunner {
  readonly #providers = new Map<string, InProcessProvider>();
  readonly #files = new MemoryFiles();
  readonly #fileIds: string[] = [];
  readonly #models = new Map<Target, LanguageModelV4>();
  readonly #tools = toolsFor((text) => this.#history.send(text), {
    during: () => {
      const stop = this.#step?.stop;
      if (stop === 'interrupt tools') this.#signal.abort(new Interrupted());
      if (stop !== 'shut down tools') return;
      this.#step = undefined;
      this.#signal.abort(new ShuttingDown());
      this.#signal.signal.throwIfAborted();
    },
  });
  #history = new MemoryHistory();
  #signal = new AbortController();
  #turn: Turn = ORDINARY;
  #steps: ConversationStep[] = [];
  #step: ConversationStep | undefined;
  #difference: unknown;
  #calls = 0;

  async play(turn: Turn): Promise<void> {
    this.#turn = turn;
    this.#steps = [...turn.steps];
    this.#history.send([
      { type: 'text', text: 'do it' },
      ...(await attachment(turn.attach, this.#files, this.#fileIds)),
    ]);
    this.#expect(await this.#run(), ['finished', 'failed', 'interrupted']);
    this.#steps = [];
    for (const what of turn.after) {
      if (what === 'read back') this.#restart();
      if (what === 'delete a file') this.#files.delete(this.#fileIds.pop() ?? '');
      if (what === 'compact') {
        this.#history.requestCompaction();
        this.#expect(await this.#run(), ['finished']);
      }
    }
  }

  async playOrdinary(target: number): Promise<void> {
    this.#turn = { ...ORDINARY, target };
    this.#history.send('an ordinary message');
    this.#expect(await this.#run(), ['finished']);
    const refusal = this.#refusal();
    if (refusal !== undefined) throw new InvariantViolation(refusal);
  }

  #refusal(): string | undefined {
    for (const { api, rejected } of this.#providers.values()) {
      const [first] = rejected;
      if (first !== undefined) return `${api} refused: ${first.message}`;
    }
    return undefined;
  }

  /** Runs the turn, and answers its calls, until it ends. */
  async #run(): Promise<TurnOutcome> {
    for (let runs = 0; runs < MAX_RUNS; runs++) {
      this.#signal = new AbortController();
      let outcome: TurnOutcome;
      try {
        outcome = await runTurn(this.#options());
      } catch (error) {
        if (!(error instanceof ShuttingDown)) throw error;
        this.#restart();
        continue;
      }
      if (outcome.type !== 'requires_action') return outcome;
      if (this.#turn.awaited === 'interrupt') {
        this.#signal = new AbortController();
        this.#signal.abort(new Interrupted());
        return await runTurn(this.#options());
      }
      this.#answer(outcome.calls);
    }
    throw new InvariantViolation('the turn does not end');
  }

  #answer(calls: Extract<TurnOutcome, { type: 'requires_action' }>['calls']): void {
    const { awaited } = this.#turn;
    const asked = calls.filter(({ kind }) => kind === 'approval').map((call) => call.tool_call_id);
    const decision = awaited === 'deny' ? 'deny' : 'allow';
    this.#history.approve(Object.fromEntries(asked.map((id) => [id, decision])));
    const waiting = calls.filter(({ kind }) => kind !== 'approval');
    if (waiting.length === 0) return;
    const result = { null: null, empty: '', error: 'it failed' }[awaited as string] ?? { ok: true };
    this.#history.answer(
      waiting.map(({ tool_call_id }) => ({
        tool_call_id,
        result,
        ...(awaited === 'error' && { is_error: true }),
      })),
    );
  }

  #restart(): void {
    this.#history = new MemoryHistory(readBack(this.#history.messages));
  }

  #options(): TurnOptions {
    const target = this.#target;
    const options: Omit<TurnOptions, 'model'> = {
      history: this.#history,
      tools: this.#tools,
      approval: ({ tool_name }) => (tool_name === 'asking' ? 'ask' : 'allow'),
      settings: { ...target.settings, context_limit: CONTEXT_LIMIT },
      files: this.#files,
      signal: this.#signal.signal,
    };
    const model = this.#model(target);
    return {
      ...options,
      model: compared(model, (call) => this.#compare(call, { ...options, model })),
    };
  }

  get #target(): Target {
    const target = TARGETS[this.#turn.target];
    if (target === undefined) throw new Error(`there is no target ${this.#turn.target}`);
    return target;
  }

  #model(target: Target): LanguageModelV4 {
    const model = this.#models.get(target) ?? modelOf(this.#provider(target), { id: target.model });
    this.#models.set(target, model);
    return model;
  }

  /** All models of an API share one account. */
  #provider({ api }: Target): InProcessProvider {
    let provider = this.#providers.get(api);
    if (provider === undefined) {
      provider = inProcessProvider({ api });
      provider.answerWith((request) => this.#reply(request));
      this.#providers.set(api, provider);
    }
    return provider;
  }

  #reply({ body }: CapturedRequest): ScriptedAnswer | Fault {
    const reply = this.#scripted(body);
    const search = this.#target.api === 'anthropic' ? openSearch(body['messages']) : undefined;
    return search === undefined || reply.kind !== 'answer' ? reply : continued(reply, search);
  }

  #scripted(body: unknown): ScriptedAnswer | Fault {
    if (isSummary(body)) return renderSummary(this.#turn.summary, this.#target);
    const step = this.#steps.shift() ?? PLAIN;
    this.#step = step;
    if (step.overflow) {
      this.#steps.unshift({ ...step, overflow: false });
      return fault.contextTooLong();
    }
    const { names } = openTurn(this.#options()).model;
    const named = {
      wireName: (tool: string) => names.toProvider(tool),
      newId: () => `call_of_turn_${this.#calls++}`,
    };
    if (step.stop !== 'interrupt answer') return render(step, this.#target, named);
    const here = gate();
    void here.reached.then(() => this.#signal.abort(new Interrupted()));
    return render(step, this.#target, named, here);
  }

  /** Checks that a process that reads the history back builds the same prompt. */
  async #compare(call: LanguageModelV4CallOptions, options: TurnOptions): Promise<void> {
    // Another process does not know in which form the loop resends a rejected history.
    if (isSummary(call.prompt) || this.#refusal() !== undefined) return;
    const messages = readBack(this.#history.messages);
    const fresh = await prepareCall(openTurn(options).model, { system: [], messages, chain: true });
    try {
      deepStrictEqual(comparable(call), comparable(fresh));
    } catch (error) {
      // Thrown here, it would count as an error of the provider.
      this.#difference ??= error;
    }
  }

  #expect(outcome: TurnOutcome, expected: readonly TurnOutcome['type'][]): void {
    if (this.#difference !== undefined) throw this.#difference;
    if (outcome.type === 'failed' && isScripted(outcome.error, this.#turn)) return;
    if (outcome.type !== 'failed' && expected.includes(outcome.type)) return;
    throw new InvariantViolation(`the turn ended with ${JSON.stringify(outcome)}`);
  }
}

/** Without the bytes of files, because the gateway's package encodes them in place. */
const comparable = (call: LanguageModelV4CallOptions): unknown =>
  JSON.parse(
    JSON.stringify({ ...call, abortSignal: undefined }, (key, value: unknown) =>
      key === 'data' ? 'data' : value,
    ),
  );

const PLAIN: ConversationStep = {
  parts: [{ type: 'text' }],
  finish: 'natural',
  full: false,
  overflow: false,
  stop: 'never',
};

const ORDINARY: Turn = {
  target: 0,
  attach: 'nothing',
  steps: [],
  awaited: 'answer',
  summary: 'text',
  after: [],
};

/** A failure that the script causes: the provider withholds an answer, truncates calls, or writes no summary. */
function isScripted({ kind, message }: { kind: string; message: string }, turn: Turn): boolean {
  if (kind === 'content_filter') return turn.steps.some((step) => step.finish === 'content-filter');
  if (kind === 'context_length') return turn.summary !== 'text';
  return kind === 'config' && /within a tool call/.test(message);
}

const compared = (
  model: LanguageModelV4,
  compare: (call: LanguageModelV4CallOptions) => Promise<void>,
): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (call) => model.doGenerate(call),
  async doStream(call) {
    await compare(call);
    return await model.doStream(call);
  },
});
