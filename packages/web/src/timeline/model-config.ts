import type { ModelConfig } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { link } from '../api/client.ts';
import { apiQuery } from '../api/queries.ts';

/** Undefined while loading, and on the page of a link. */
export function useModelConfig(id: string | undefined): ModelConfig | undefined {
  const { data } = useQuery({ ...apiQuery('listModelConfigs'), enabled: link === undefined });
  return data?.model_configs.find((config) => config.id === id);
}
