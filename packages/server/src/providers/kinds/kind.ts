import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { z } from 'zod';
import type { JsonObject, Price } from '@chatd/protocol';
import type { ProviderAccess, ProviderSecrets } from '../access.ts';
import type { JsonRequest } from './get-json.ts';

export type Fetch = typeof globalThis.fetch;

/** A model as its provider offers it, with what it says about it. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  readonly context_limit?: number;
  readonly max_output_tokens?: number;
  readonly price?: Price;
}

/** Each provider takes other settings for its search; one that it does not take is refused. */
export interface WebSearchAbility {
  readonly domains: boolean;
  readonly contextSize: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider as the environment of the server describes it. */
export interface FromEnvironment {
  readonly secrets: ProviderSecrets;
  readonly base_url?: string;
  readonly options?: JsonObject;
  /** What new chats are given, if it is the best that there is. */
  readonly model?: string;
}

/** Everything that is different between providers, one file each. */
export interface ProviderKind {
  /** As people call it. */
  readonly label: string;
  /** What can be set besides address and keys. Strict: what it does not name is refused. */
  readonly options: z.ZodType;
  /** What a model config may pass on to the package, by the name under which the package looks for it. */
  providerOptions(access: ProviderAccess): Readonly<Record<string, z.ZodObject>>;
  /** What its own web search can be told; undefined: it has none. */
  webSearch(access: ProviderAccess): WebSearchAbility | undefined;
  /** Where calls go when no address is given; undefined: one must be given. */
  baseUrl(access: ProviderAccess): string | undefined;
  /** Undefined: the environment has no key for it. Variables are those that its package knows, too. */
  environment(env: Environment): FromEnvironment | undefined;
  /** Whether this is enough to call it; where keys are optional, always. */
  hasKey(access: ProviderAccess): boolean;
  /** Never reads the environment: whatever is not given here is not there. */
  build(access: ProviderAccess, modelId: string, fetch: Fetch): LanguageModelV4;
  /** Asks the service. It also fails when the key is not right: this is how a provider is tested. */
  listModels(access: ProviderAccess, asking: JsonRequest): Promise<OfferedModel[]>;
}
