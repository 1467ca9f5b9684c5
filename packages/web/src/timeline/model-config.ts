import type { ModelConfig } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../api/queries.ts';

/** Undefined while loading. */
export function useModelConfig(id: string | undefined): ModelConfig | undefined {
  const { data } = useQuery(apiQuery('listModelConfigs'));
  return data?.model_configs.find((config) => config.id === id);
}
