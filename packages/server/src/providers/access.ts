import type { JsonObject, ProviderType } from '@chatd/protocol';

/** What opens a provider. Never leaves the server. */
export interface ProviderSecrets {
  readonly api_key?: string;
  /** Bedrock without an API key. */
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  readonly session_token?: string;
}

/** A provider with everything that it takes to call it. */
export interface ProviderAccess extends ProviderSecrets {
  readonly type: ProviderType;
  /** What an admin calls it; errors name it. */
  readonly name?: string;
  /** As the provider's package takes it, version included; the service's own unless told. */
  readonly base_url?: string;
  /** What this type can be told besides, see the table of kinds. */
  readonly options?: JsonObject;
}
