import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { classify, type Failure, systemClock } from '@chatd/loop';
import type { CallEnd, CallFacts, CallObserver, CallResult } from './observer.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Stream parts that are not content. */
const NO_CONTENT: ReadonlySet<LanguageModelV4StreamPart['type']> = new Set([
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
  // Anthropic's package starts a message with this part.
  'custom',
  'ping',
  'raw',
  'error',
  'finish',
]);

/** A running model call. Collects what observers receive at the end, and ends exactly once. */
export class ObservedCall {
  readonly #provider: string;
  readonly #signal: AbortSignal | undefined;
  readonly #observers: readonly CallObserver[];
  readonly #listeners: readonly CallObserver[];
  readonly #started = performance.now();
  readonly #facts: Partial<Writable<CallFacts>> = {};
  #failed: { readonly error: unknown } | undefined;
  #ended = false;

  constructor(
    provider: string,
    { abortSignal }: LanguageModelV4CallOptions,
    observers: readonly CallObserver[],
  ) {
    this.#provider = provider;
    this.#signal = abortSignal;
    this.#observers = observers;
    this.#listeners = observers.filter((observer) => observer.part !== undefined);
    // Some packages ignore the signal and neither reject nor end.
    abortSignal?.addEventListener('abort', this.#stop, { once: true });
  }

  part(part: LanguageModelV4StreamPart): void {
    if (this.#ended) return;
    if (this.#facts.firstTokenMs === undefined && !NO_CONTENT.has(part.type)) this.#firstToken();
    if (part.type === 'stream-start') this.#warned(part.warnings);
    else if (part.type === 'response-metadata') this.#responded(part);
    else if (part.type === 'finish') this.#finished(part);
    else if (part.type === 'error') this.#failed ??= { error: part.error };
    for (const observer of this.#listeners) observer.part?.(part);
  }

  #firstToken(): void {
    this.#facts.firstTokenMs = performance.now() - this.#started;
  }

  #warned(warnings: readonly SharedV4Warning[]): void {
    if (warnings.length > 0) this.#facts.warnings = warnings.map(warningText);
  }

  #responded({ id, modelId }: { id?: string; modelId?: string } = {}): void {
    if (id !== undefined) this.#facts.responseId = id;
    if (modelId !== undefined) this.#facts.responseModel = modelId;
  }

  #finished({ usage, finishReason }: Finished): void {
    this.#facts.usage = usage;
    this.#facts.finish = finishReason;
  }

  /** The stream has ended. Without a valid finish part, the response is incomplete. */
  completed(): void {
    const { finish } = this.#facts;
    if (this.#failed !== undefined) return this.failed(this.#failed.error);
    if (finish === undefined) return this.failed(new Error('the stream ended early (early EOF)'));
    if (finish.unified !== 'error') return this.#end({ how: 'completed' });
    this.failed(
      new Error(`the provider aborted the response: ${finish.raw ?? 'error'} (server_error)`),
    );
  }

  failed(error: unknown): void {
    if (this.#signal?.aborted === true) this.#stop();
    else this.#end({ how: 'failed', failure: this.#classify(error), error });
  }

  readonly #stop = (): void => {
    const reason: unknown = this.#signal?.reason;
    // Timeouts abort the call too, but count as failures of the provider.
    if (reason instanceof Error && 'kind' in reason) {
      this.#end({ how: 'failed', failure: this.#classify(reason), error: reason });
    } else {
      this.#end({ how: 'stopped', why: reason instanceof Error ? reason.name : 'cancelled' });
    }
  };

  #classify(error: unknown): Failure {
    return classify(error, {
      provider: this.#provider,
      clock: systemClock,
      ...(this.#signal && { signal: this.#signal }),
    });
  }

  #end(how: CallResult): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#stop);
    const durationMs = performance.now() - this.#started;
    const end: CallEnd = { ...this.#facts, durationMs, ...how };
    for (const observer of this.#observers) observer.ended(end);
  }
}

function warningText(warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
    case 'compatibility':
      return `${warning.feature} (${warning.type})${warning.details === undefined ? '' : `: ${warning.details}`}`;
    case 'deprecated':
      return `${warning.setting} (deprecated): ${warning.message}`;
    case 'other':
      return warning.message;
  }
}

type Finished = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'finish' }>,
  'usage' | 'finishReason'
>;
