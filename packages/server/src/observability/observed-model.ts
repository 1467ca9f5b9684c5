import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { PushModel } from '@chatd/loop';
import { ObservedCall } from './observed-call.ts';
import type { CallObserver } from './observer.ts';

export type Observe = (options: LanguageModelV4CallOptions) => readonly CallObserver[];

/** Observes each call of a model from the request to the end of its stream. */
export function observedModel(model: PushModel, observe: Observe): PushModel {
  const { provider, modelId } = model;
  return {
    provider,
    modelId,
    async push(options, sink) {
      const call = new ObservedCall(provider, options, observe(options));
      try {
        await model.push(options, (part) => {
          call.part(part);
          return sink(part);
        });
      } catch (error) {
        call.failed(error);
        throw error;
      }
      call.completed();
    },
  };
}
