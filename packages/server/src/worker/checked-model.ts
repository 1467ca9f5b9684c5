import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { WrappedModel } from '../providers/wrapped-model.ts';

/** Runs a check before each call. The call fails with the error of the check. */
export class CheckedModel extends WrappedModel {
  readonly #check: () => Promise<void>;

  constructor(model: LanguageModelV4, check: () => Promise<void>) {
    super(model);
    this.#check = check;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    await this.#check();
    return await this.model.doGenerate(options);
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    await this.#check();
    return await this.model.doStream(options);
  }
}
