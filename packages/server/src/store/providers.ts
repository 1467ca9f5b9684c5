import type { JsonObject, ProviderType } from '@chatd/protocol';

/** The demo provider, which the first migration creates. */
export const DEMO_PROVIDER = '00000000-0000-7000-8000-000000000001';

export interface ProviderRow {
  readonly id: string;
  readonly type: ProviderType;
  readonly name: string;
  readonly enabled: boolean;
  readonly base_url: string | null;
  readonly options: JsonObject;
  /** Sealed. */
  readonly secrets: string | null;
  readonly from_environment: boolean;
  readonly allow_user_keys: boolean;
  readonly created_at: Date;
}

/** With the key of the requesting user. */
export interface ListedProvider extends ProviderRow {
  readonly has_own_key: boolean;
}

/** The context that a ciphertext is bound to. */
export const providerSecretsOf = (id: string): string => `providers/${id}`;
export const userKeyOf = (providerId: string, userId: string): string =>
  `user_keys/${providerId}/${userId}`;
