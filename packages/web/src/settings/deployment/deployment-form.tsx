import type { Settings } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { question, useChanged } from '../../api/queries.ts';
import { Answer } from '../parts/answer.tsx';

/** Provides the deployment settings to a form. */
export function WithSettings({
  children,
}: {
  readonly children: (settings: Settings) => ReactNode;
}) {
  const settings = useQuery(question('getSettings'));
  return <Answer to={settings}>{children}</Answer>;
}

export function useSaveSettings(): (change: Partial<Settings>) => Promise<void> {
  const changed = useChanged();
  return async (change) => {
    await client.call('updateSettings', { body: change });
    await changed();
  };
}
