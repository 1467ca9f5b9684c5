import { Cell } from './cell.ts';

export const APPEARANCES = ['system', 'light', 'dark'] as const;
export type Appearance = (typeof APPEARANCES)[number];

/** Percent of the browser's font size. All lengths are relative to it. */
export const TEXT_SIZES = { small: 90, normal: 100, large: 115, largest: 130 } as const;
type TextSize = keyof typeof TEXT_SIZES;

const KEY = 'chatd.appearance';
const SIZE_KEY = 'chatd.text-size';
const dark = matchMedia('(prefers-color-scheme: dark)');

const stored = localStorage.getItem(KEY);
export const appearance = new Cell<Appearance>(
  APPEARANCES.find((candidate) => candidate === stored) ?? 'system',
);

const isTextSize = (text: string): text is TextSize => Object.hasOwn(TEXT_SIZES, text);
const storedSize = localStorage.getItem(SIZE_KEY) ?? '';
export const textSize = new Cell<TextSize>(isTextSize(storedSize) ? storedSize : 'normal');

/** The effective appearance, with `system` resolved. */
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

function applySize(): void {
  document.documentElement.style.fontSize = `${TEXT_SIZES[textSize.get()]}%`;
}

dark.addEventListener('change', apply);
appearance.subscribe(() => {
  localStorage.setItem(KEY, appearance.get());
  apply();
});
apply();
textSize.subscribe(() => {
  localStorage.setItem(SIZE_KEY, textSize.get());
  applySize();
});
applySize();
