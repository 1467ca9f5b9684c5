import { useEffect, useState } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Cell } from './cell.ts';

/** Forms with unsaved changes. */
const forms = new Set<object>();

/** The navigation that waits for confirmation, or null. */
export const leaving = new Cell<(() => void) | null>(null);

export function leave(): void {
  const proceed = leaving.get();
  forms.clear();
  leaving.set(null);
  proceed?.();
}

export const stay = (): void => leaving.set(null);

/** Makes the router ask before it leaves a form with unsaved changes. */
export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  if (forms.size === 0) navigate(to, options);
  else leaving.set(() => navigate(to, options));
};

/** Asks before leaving unsaved changes, for actions that do not navigate, such as closing a dialog. */
export function unlessUnsaved(proceed: () => void): void {
  if (forms.size === 0) proceed();
  else leaving.set(proceed);
}

let here = location.href;

// The browser has already navigated back, so this returns to the form before the router sees the event. The listener is
// registered first because listeners run in order.
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

// The browser shows its own prompt when the page is closed.
addEventListener('beforeunload', (event) => {
  if (forms.size > 0) event.preventDefault();
});

/** Protects unsaved changes. The returned function marks them as saved. */
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
