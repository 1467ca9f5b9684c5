import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';

/** A wrapper that keeps the identity of a model. Subclasses change its calls. */
export abstract class WrappedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  protected readonly model: LanguageModelV4;

  constructor(model: LanguageModelV4) {
    this.model = model;
  }

  get provider(): string {
    return this.model.provider;
  }

  get modelId(): string {
    return this.model.modelId;
  }

  get supportedUrls(): LanguageModelV4['supportedUrls'] {
    return this.model.supportedUrls;
  }

  abstract doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult>;
  abstract doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult>;
}
