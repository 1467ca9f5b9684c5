import { useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Cell } from './cell.ts';

/** Forms with changes that were not saved. */
const forms = new Set<object>();

/** How a person who wants to leave such a form goes on; null while nobody does. A dialog asks about it. */
export const leaving = new Cell<(() => void) | null>(null);

export function leave(): void {
  const goOn = leaving.get();
  forms.clear();
  leaving.set(null);
  goOn?.();
}

export const stay = (): void => leaving.set(null);

/** For the router: every way within the app asks first. */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  if (forms.size === 0) navigate(to, options);
  else leaving.set(() => navigate(to, options));
};

/** Asks first where there are changes; for ways that are not addresses, such as closing a dialog. */
export function unlessUnsaved(goOn: () => void): void {
  if (forms.size === 0) goOn();
  else leaving.set(goOn);
}

/** Where the forms are. */
let here = location.href;

// The browser has gone back already: it is brought here again, before the router hears of it. That is why this listens
// from the beginning: who comes first is called first.
addEventListener(
  'popstate',
  (event) => {
    if (forms.size === 0) return;
    event.stopImmediatePropagation();
    history.pushState(null, '', here);
    leaving.set(() => history.back());
  },
  { capture: true },
);

// Leaving the page altogether: the browser asks, in its own words.
addEventListener('beforeunload', (event) => {
  if (forms.size > 0) event.preventDefault();
});

/** Keeps changes from being lost by accident. What is returned says that they are saved, at once. */
export function useUnsaved(unsaved: boolean): () => void {
  const [form] = useState(() => ({}));
  useEffect(() => {
    if (!unsaved) return;
    forms.add(form);
    here = location.href;
    return () => void forms.delete(form);
  }, [form, unsaved]);
  return () => void forms.delete(form);
}
