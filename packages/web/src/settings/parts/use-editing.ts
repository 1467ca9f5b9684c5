import { useLocation, useSearchParams } from 'wouter';
import { TO_HEADING } from './heading.tsx';

export interface Editing {
  /** The id of the edited item, `new` for a new one; undefined while the list is shown. */
  readonly edited: string | undefined;
  readonly open: (id: string) => void;
  readonly close: () => void;
}

/** Kept in the URL, so that it can be linked, reloaded and navigated back from. */
export function useEditing(): Editing {
  const [path, navigate] = useLocation();
  const [search] = useSearchParams();
  return {
    edited: search.get('edit') ?? undefined,
    open: (id) => navigate(`${path}?edit=${encodeURIComponent(id)}`, { state: TO_HEADING }),
    close: () => navigate(path, { state: TO_HEADING }),
  };
}
