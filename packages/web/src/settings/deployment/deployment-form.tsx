import type { Settings } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { QueryResult } from '../parts/query-result.tsx';

/** Provides the deployment settings to a form. */
export function WithSettings({
  children,
}: {
  readonly children: (settings: Settings) => ReactNode;
}) {
  const settings = useQuery(apiQuery('getSettings'));
  return <QueryResult to={settings}>{children}</QueryResult>;
}

export function useSaveSettings(): (change: Partial<Settings>) => Promise<void> {
  const changed = useInvalidateQueries();
  return async (change) => {
    await client.call('updateSettings', { body: change });
    await changed();
  };
}
