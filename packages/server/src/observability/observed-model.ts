import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { ObservedCall } from './observed-call.ts';
import type { CallObserver } from './observer.ts';
import { WrappedModel } from '../providers/wrapped-model.ts';

export type Observe = (options: LanguageModelV4CallOptions) => readonly CallObserver[];

/** Wraps a model and observes each call from the request to the end of its stream. */
export class ObservedModel extends WrappedModel {
  readonly #observe: Observe;

  constructor(model: LanguageModelV4, observe: Observe) {
    super(model);
    this.#observe = observe;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const call = this.#begin(options);
    try {
      const result = await this.model.doGenerate(options);
      call.warned(result.warnings);
      call.responded(result.response);
      call.finished(result);
      call.completed();
      return result;
    } catch (error) {
      call.failed(error);
      throw error;
    }
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const call = this.#begin(options);
    try {
      const result = await this.model.doStream(options);
      return { ...result, stream: watched(result.stream, call) };
    } catch (error) {
      call.failed(error);
      throw error;
    }
  }

  #begin(options: LanguageModelV4CallOptions): ObservedCall {
    return new ObservedCall(this.model.provider, options, this.#observe(options));
  }
}

function watched(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  call: ObservedCall,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            call.completed();
            controller.close();
          } else {
            call.part(value);
            controller.enqueue(value);
          }
        } catch (error) {
          call.failed(error);
          throw error;
        }
      },
      async cancel(reason) {
        call.cancelled();
        await reader.cancel(reason);
      },
    },
    // Reads no further than the consumer, so that backpressure is kept.
    { highWaterMark: 0 },
  );
}
