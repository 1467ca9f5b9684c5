import { useLocation, useSearchParams } from 'wouter';
import { TO_HEADING } from './heading.tsx';

export interface Editing {
  /** The id of what is edited, `new` for something new; undefined while the list is shown. */
  readonly edited: string | undefined;
  readonly open: (id: string) => void;
  readonly close: () => void;
}

/** What is edited is in the address: it can be linked to, reloaded and gone back from. */
export function useEditing(): Editing {
  const [path, navigate] = useLocation();
  const [search] = useSearchParams();
  return {
    edited: search.get('edit') ?? undefined,
    open: (id) => navigate(`${path}?edit=${encodeURIComponent(id)}`, { state: TO_HEADING }),
    close: () => navigate(path, { state: TO_HEADING }),
  };
}
