import type { JsonObject, ProviderType } from '@chatd/protocol';

/** The credentials of a provider. Never leave the server. */
export interface ProviderSecrets {
  readonly api_key?: string;
  /** Bedrock without an API key. */
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  readonly session_token?: string;
}

export interface ProviderAccess extends ProviderSecrets {
  readonly type: ProviderType;
  readonly name?: string;
  /** In the form that the provider's package expects, including the version. Default: the service's own. */
  readonly base_url?: string;
  /** Settings of the provider type, see `KINDS`. */
  readonly options?: JsonObject;
}
