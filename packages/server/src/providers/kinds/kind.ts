import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Endpoint, PushModel } from '@chatd/loop';
import type { z } from 'zod';
import type { JsonObject, Price } from '@chatd/protocol';
import type { ProviderAccess, ProviderSecrets } from '../access.ts';
import type { JsonRequest } from './get-json.ts';

export type Fetch = typeof globalThis.fetch;

/** A model listed by its provider, with the provider's own data. */
export interface OfferedModel {
  readonly id: string;
  readonly name?: string;
  readonly context_limit?: number;
  readonly max_output_tokens?: number;
  readonly price?: Price;
}

/** The settings that a provider's web search supports. Others are refused. */
export interface WebSearchAbility {
  readonly domains: boolean;
  readonly contextSize: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider configured by environment variables. */
export interface FromEnvironment {
  readonly secrets: ProviderSecrets;
  readonly base_url?: string;
  readonly options?: JsonObject;
}

/** Everything specific to a provider type, one file each. */
export interface ProviderKind {
  readonly label: string;
  /** The suggested first model. */
  readonly suggested?: string;
  /** The schema of settings besides address and keys. Strict: unknown settings are refused. */
  readonly options: z.ZodType;
  /** Model options passed to the package, by the name that the package expects. */
  providerOptions(access: ProviderAccess): Readonly<Record<string, z.ZodObject>>;
  /** What its web search supports. Undefined: none. */
  webSearch(access: ProviderAccess): WebSearchAbility | undefined;
  /** The default base URL. Undefined: a base URL is required. */
  baseUrl(access: ProviderAccess): string | undefined;
  /** Undefined: no key in the environment. Uses the same variables as the package. */
  environment(env: Environment): FromEnvironment | undefined;
  /** Whether the credentials are sufficient. Always true if keys are optional. */
  hasKey(access: ProviderAccess): boolean;
  /** Loads the package of the provider with its first model. Must not read the environment. */
  build(access: ProviderAccess, modelId: string, fetch: Fetch): Promise<LanguageModelV4>;
  /** For calls without the package, as far as the codec covers them. Undefined: all calls use the package. */
  endpoint?(access: ProviderAccess, modelId: string, fetch: Fetch): Endpoint | undefined;
  /** Corrects the responses of the provider's models. */
  adapt?(model: PushModel): PushModel;
  /** Lists models from the service. Fails if the key is wrong, and so serves as a connection test. */
  listModels(access: ProviderAccess, asking: JsonRequest): Promise<OfferedModel[]>;
}
