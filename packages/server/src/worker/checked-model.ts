import type { LanguageModelV4 } from '@ai-sdk/provider';

/** The same model, with a check before each call; what the check throws is the answer. */
export const checkedModel = (
  model: LanguageModelV4,
  check: () => Promise<void>,
): LanguageModelV4 => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  async doGenerate(options) {
    await check();
    return await model.doGenerate(options);
  },
  async doStream(options) {
    await check();
    return await model.doStream(options);
  },
});
