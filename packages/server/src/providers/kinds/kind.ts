import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { z } from 'zod';
import type { ProviderAccess } from '../access.ts';

export type Fetch = typeof globalThis.fetch;

/** A model as its provider offers it, with what it says about it. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  readonly context_limit?: number;
  readonly max_output_tokens?: number;
}

/** Everything that is different between providers, one file each. */
export interface ProviderKind {
  /** As people call it. */
  readonly label: string;
  /** What can be set besides address and keys. Strict: what it does not name is refused. */
  readonly options: z.ZodType;
  /** Where calls go when no address is given; undefined: one must be given. */
  baseUrl(access: ProviderAccess): string | undefined;
  /** Whether this is enough to call it; where keys are optional, always. */
  hasKey(access: ProviderAccess): boolean;
  /** Never reads the environment: whatever is not given here is not there. */
  build(access: ProviderAccess, modelId: string, fetch: Fetch): LanguageModelV4;
}
