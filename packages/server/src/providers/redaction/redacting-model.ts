import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import type { SecretValues } from '../../secrets/secret-values.ts';
import { redactedError } from './redacted-error.ts';
import { WrappedModel } from '../wrapped-model.ts';

/**
 * Redacts secrets from the errors of a model: thrown errors, error parts of the stream, and errors that break the
 * stream. Providers repeat keys in error messages, and packages attach whole responses to errors. Secrets split over
 * several parts are not detected.
 */
export class RedactingModel extends WrappedModel {
  readonly #secrets: SecretValues;

  constructor(model: LanguageModelV4, secrets: SecretValues) {
    super(model);
    this.#secrets = secrets;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    return await this.#guarded(() => this.model.doGenerate(options));
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const result = await this.#guarded(() => this.model.doStream(options));
    return { ...result, stream: this.#redactedStream(result.stream) };
  }

  async #guarded<T>(call: () => PromiseLike<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw redactedError(error, this.#secrets);
    }
  }

  /** Some gateways return their errors as text. */
  #redactedPart(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
    if (part.type === 'error') {
      return { ...part, error: redactedError(part.error, this.#secrets) };
    }
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return part;
    const delta = this.#secrets.hideParts(part.delta);
    return delta === part.delta ? part : { ...part, delta };
  }

  #redactedStream(
    stream: ReadableStream<LanguageModelV4StreamPart>,
  ): ReadableStream<LanguageModelV4StreamPart> {
    const reader = stream.getReader();
    return new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull: async (controller) => {
          const { done, value } = await this.#guarded(() => reader.read());
          if (done) controller.close();
          else controller.enqueue(this.#redactedPart(value));
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }
}
