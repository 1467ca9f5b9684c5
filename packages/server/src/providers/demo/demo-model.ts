import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import type { Clock } from '@chatd/loop';
import type { Attempts } from './attempts.ts';
import type { Pace } from './pace.ts';
import { perform } from './perform.ts';
import { readRequest } from './request.ts';
import { respond } from './respond.ts';

/** A built-in model without a key or network access. It recognizes a few intents. */
export class DemoModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'demo';
  readonly supportedUrls = {};
  readonly modelId: string;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #attempts: Attempts;

  constructor(modelId: string, options: { pace: Pace; clock: Clock; attempts: Attempts }) {
    this.modelId = modelId;
    this.#pace = options.pace;
    this.#clock = options.clock;
    this.#attempts = options.attempts;
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    options.abortSignal?.throwIfAborted();
    const script = respond(readRequest(options));
    const { failures = [] } = script;
    const attempt =
      failures.length === 0 ? 0 : this.#attempts.next(options.prompt, failures.length);
    const failing = failures[attempt];
    if (failing !== undefined && failing.after === undefined) throw failing.error;
    const cancelled = new AbortController();
    const signal = AbortSignal.any(
      [options.abortSignal, cancelled.signal].filter((each) => each !== undefined),
    );
    const parts = perform(script, {
      options,
      signal,
      failing,
      clock: this.#clock,
      pace: this.#pace,
      id: `demo-${randomUUID()}`,
    });
    return { stream: streamOf(parts, cancelled) };
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { stream } = await this.doStream(options);
    return collect(stream);
  }
}

/** Generated as it is read. */
function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  cancelled: AbortController,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => cancelled.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  for await (const part of stream) {
    if (part.type === 'text-start') content.push({ type: 'text', text: '' });
    if (part.type === 'reasoning-start') content.push({ type: 'reasoning', text: '' });
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const last = content.at(-1);
      if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta;
    }
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'finish') {
      return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
    }
  }
  throw new Error('the demo model always ends a stream with a finish part');
}
