export const PROVIDER_COLUMNS = `providers.id, providers.type, providers.name, providers.enabled,
  providers.base_url, providers.options, providers.secrets, providers.from_environment,
  providers.allow_user_keys, providers.created_at`;
