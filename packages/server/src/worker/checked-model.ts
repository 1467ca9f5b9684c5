import type { PushModel } from '@chatd/loop';

/** Runs a check before each call. The call fails with the error of the check. */
export function checkedModel(model: PushModel, check: () => Promise<void>): PushModel {
  const { provider, modelId } = model;
  return {
    provider,
    modelId,
    async push(options, sink) {
      await check();
      await model.push(options, sink);
    },
  };
}
