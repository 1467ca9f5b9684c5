import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { File as FileIcon, Folder } from 'lucide-react';
import { useEffect, useState } from 'react';
import { explain } from '../../api/explain.ts';
import { client } from '../../api/client.ts';
import type { Suggestion, Suggestions } from './suggestion.ts';

const SHOWN = 20;
const PAUSE_MS = 120;

/** Workspace files whose names match. `query` is undefined while nothing is typed after `@`. */
export function useFileSuggestions(
  workspaceId: string | undefined,
  query: string | undefined,
): Suggestions {
  const asked = useAfterPause(query);
  const { data, error, isFetching } = useQuery({
    queryKey: ['workspace-file-search', workspaceId, asked],
    enabled: workspaceId !== undefined && asked !== undefined,
    retry: false,
    staleTime: 5000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.call('searchWorkspaceFiles', {
        params: { workspace_id: workspaceId ?? '' },
        query: { q: asked ?? '', limit: SHOWN },
        signal,
      }),
  });
  if (query === undefined) return { list: [] };
  if (workspaceId === undefined) {
    return { list: [], note: 'This chat has no workspace, so there are no files to mention.' };
  }
  if (error !== null) return { list: [], note: explain(error) };
  const list = (data?.paths ?? []).map(fileSuggestion);
  if (list.length > 0) return { list };
  return { list, note: isFetching ? 'Searching files…' : 'No matching files' };
}

function fileSuggestion(path: string): Suggestion {
  const at = path.replace(/\/$/, '').lastIndexOf('/');
  const folder = path.endsWith('/');
  return {
    key: path,
    icon: folder ? <Folder /> : <FileIcon />,
    title: path.slice(at + 1),
    about: at === -1 ? undefined : path.slice(0, at),
    // A name with spaces is quoted.
    insert: /\s/.test(path) ? `@"${path}" ` : `@${path} `,
  };
}

/** The first query runs immediately; later ones are debounced. */
function useAfterPause(query: string | undefined): string | undefined {
  const [asked, setAsked] = useState(query);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  return query === undefined ? undefined : (asked ?? query);
}
