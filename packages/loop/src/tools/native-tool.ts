import type {
  LanguageModelV4ToolCallPart as Call,
  LanguageModelV4ToolResultOutput as Output,
} from '@ai-sdk/provider';

/**
 * How a provider itself defines a tool that is run here: its models were trained on that definition, and know better how
 * to use it than any description of ours could say.
 */
export interface NativeTool {
  readonly id: `${string}.${string}`;
  readonly args: Readonly<Record<string, unknown>>;
  /** Histories hold calls that other models made, in the form of theirs. */
  fits(call: Call): boolean;
  /** A result in the provider's own form, where that is not text with images, and words that have no place in it. */
  result?(call: Call, output: Output): { readonly output: Output; readonly note?: string };
}

export interface ModelName {
  readonly provider: string;
  readonly modelId: string;
}
