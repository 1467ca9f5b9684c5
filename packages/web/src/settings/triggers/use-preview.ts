import type { BodyOf } from '@chatd/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiQuery } from '../../api/queries.ts';

const PAUSE_MS = 300;

/** What the server makes of these fields, when the user pauses. */
export function usePreview(body: BodyOf<'previewTrigger'>) {
  const now = JSON.stringify(body);
  const [asked, setAsked] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(now), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [now]);
  return useQuery({
    ...apiQuery('previewTrigger', { body: JSON.parse(asked) as BodyOf<'previewTrigger'> }),
    placeholderData: keepPreviousData,
    // The next times depend on the current one.
    staleTime: 0,
  });
}
