import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';

/** The same model for whoever asks who it is; what is done with its calls is for those who extend it. */
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
