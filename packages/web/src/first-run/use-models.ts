import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.ts';

/** The built-in provider has this id in every deployment. */
const DEMO_PROVIDER = '00000000-0000-7000-8000-000000000001';

export type Models = 'real' | 'demo' | 'none';

/** Whether chats can use `real` models, only the `demo` model, or `none`. Undefined while loading. */
export function useModels(): Models | undefined {
  const { data } = useQuery({
    queryKey: ['listModelConfigs', {}],
    queryFn: ({ signal }) => client.call('listModelConfigs', { signal }),
  });
  if (data === undefined) return undefined;
  const enabled = data.model_configs.filter((config) => config.enabled);
  if (enabled.length === 0) return 'none';
  return enabled.every(({ provider_id }) => provider_id === DEMO_PROVIDER) ? 'demo' : 'real';
}
