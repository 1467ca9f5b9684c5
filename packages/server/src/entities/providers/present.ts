import type { Provider } from '@chatd/protocol';
import type { ProviderKeys } from '../../providers/provider-keys.ts';
import { DEMO_PROVIDER, type ListedProvider } from '../../store/providers.ts';

/** What a member may know of a provider that takes keys of users. */
export const presentProviderToMember = (row: ListedProvider): Provider => ({
  id: row.id,
  type: row.type,
  name: row.name,
  enabled: row.enabled,
  allow_user_keys: row.allow_user_keys,
  has_own_key: row.has_own_key,
});

export const presentProvider = (row: ListedProvider, keys: ProviderKeys): Provider => ({
  ...presentProviderToMember(row),
  ...(row.base_url !== null && { base_url: row.base_url }),
  options: row.options,
  has_api_key: keys.has(row),
  key_source: row.secrets !== null ? 'stored' : row.from_environment ? 'environment' : null,
  built_in: row.id === DEMO_PROVIDER,
  created_at: row.created_at.toISOString(),
});
