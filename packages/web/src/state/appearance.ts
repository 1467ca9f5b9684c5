import { Cell } from './cell.ts';

export const APPEARANCES = ['system', 'light', 'dark'] as const;
export type Appearance = (typeof APPEARANCES)[number];

const KEY = 'chatd.appearance';
const dark = matchMedia('(prefers-color-scheme: dark)');

const stored = localStorage.getItem(KEY);
export const appearance = new Cell<Appearance>(
  APPEARANCES.find((candidate) => candidate === stored) ?? 'system',
);

/** What is shown, once `system` is resolved. */
export const shownAppearance = new Cell<'light' | 'dark'>(resolve());

function resolve(): 'light' | 'dark' {
  const chosen = appearance.get();
  if (chosen !== 'system') return chosen;
  return dark.matches ? 'dark' : 'light';
}

function apply(): void {
  shownAppearance.set(resolve());
  document.documentElement.dataset['appearance'] = shownAppearance.get();
}

dark.addEventListener('change', apply);
appearance.subscribe(() => {
  localStorage.setItem(KEY, appearance.get());
  apply();
});
apply();
