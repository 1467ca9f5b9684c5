import { useSyncExternalStore } from 'react';

/** The breakpoint `md` of theme.css: below it, one pane is shown at a time. */
const wide = matchMedia('(min-width: 52rem)');

const subscribe = (listener: () => void) => {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
};

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches);
