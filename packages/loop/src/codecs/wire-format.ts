import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Decoder, Emit, Received } from './codec.ts';
import type { Replay } from './package-decoder.ts';
import type { RequestTemplate } from './request-template.ts';

/** A provider's API, as far as it depends on the prompt of a call. */
export interface WireFormat {
  /** A short prompt. The package's encoding of it shows how prompts depend on the model. */
  readonly probe: LanguageModelV4Prompt;
  /** The fields of the body that contain the prompt. */
  readonly promptFields: readonly string[];
  /** Headers of the package that depend on the options. */
  readonly headers: readonly string[];
  path(modelId: string): string;
  /** Separates options that change with each call: they become fields of the body. Undefined if there are none. */
  perCall?(
    options: LanguageModelV4CallOptions,
  ): { rest: LanguageModelV4CallOptions; fields: object } | undefined;
  /** The encoder of prompts for calls with the template's options. Undefined if it covers no prompts for them. */
  prompts(template: RequestTemplate, options: LanguageModelV4CallOptions): EncodePrompt | undefined;
  decoder(
    options: LanguageModelV4CallOptions,
    replay: Replay,
    received: Received,
    emit: Emit,
  ): Decoder;
  errorMessage(body: unknown): string | undefined;
}

/** Undefined if the prompt is outside the subset. */
export type EncodePrompt = (options: LanguageModelV4CallOptions) => EncodedPrompt | undefined;

export interface EncodedPrompt {
  /** The fields of the prompt as pieces of JSON, without braces. Bytes are valid until the next call. */
  readonly fields: readonly (string | Uint8Array)[];
  readonly headers?: Readonly<Record<string, string>>;
}
