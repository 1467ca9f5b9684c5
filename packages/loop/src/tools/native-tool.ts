import type {
  LanguageModelV4ToolCallPart as Call,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';

/** A provider's own definition of a tool that runs here. Its models are trained on that definition. */
export interface NativeTool {
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
  /** Histories contain calls of other models, in their own form. */
  fits(call: Call): boolean;
  /** A result in the provider's own form, if it is not text with images, and text that does not fit into it. */
  result?(call: Call, output: Output): { readonly output: Output; readonly note?: string };
}

export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}
