import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { isLate, yieldToEventLoop } from './yield-to-event-loop.ts';

/**
 * Receives the parts of a response, in order and synchronously. If it returns a promise, the model reads nothing more
 * from the network until the promise resolves; parts that have already arrived are still passed on. If it throws, the
 * model cancels the request and rejects with that error.
 */
export type Sink = (part: LanguageModelV4StreamPart) => Promise<void> | undefined;

/** A model as the loop calls it. Any AI SDK model becomes one with `pushModel`. */
export interface PushModel {
  readonly provider: string;
  readonly modelId: string;
  /**
   * Calls the model. Resolves after the last part. Rejects with the error of the request, of the stream, or of the
   * sink, or with the reason of `options.abortSignal`. The sink is not called after that.
   */
  push(options: LanguageModelV4CallOptions, sink: Sink): Promise<void>;
}

/** A model of an AI SDK provider package, or a model that pushes. */
export type Model = LanguageModelV4 | PushModel;

/** Number of parts to read before checking for starved timers. */
const PARTS_IN_A_ROW = 16;

/** Reads the stream of an AI SDK model and pushes its parts. */
export function pushModel(model: Model): PushModel {
  if ('push' in model) return model;
  return {
    provider: model.provider,
    modelId: model.modelId,
    async push(options, sink) {
      const { stream } = await model.doStream(options);
      const reader = stream.getReader();
      const { abortSignal: signal } = options;
      // Canceling ends a pending read, even if the provider ignores the signal.
      const stop = () => void reader.cancel(signal?.reason).catch(() => {});
      signal?.addEventListener('abort', stop, { once: true });
      try {
        for (let count = 1; ; count++) {
          signal?.throwIfAborted();
          const { done, value } = await reader.read();
          if (done) break;
          signal?.throwIfAborted();
          const pause = sink(value);
          if (pause !== undefined) await pause;
          if (count % PARTS_IN_A_ROW === 0 && isLate()) await yieldToEventLoop();
        }
      } finally {
        signal?.removeEventListener('abort', stop);
        stop();
      }
      signal?.throwIfAborted();
    },
  };
}
