import { Cell } from '../state/cell.ts';

export const shownPalette = new Cell<'commands' | 'keyboard' | null>(null);

export const openPalette = (): void => shownPalette.set('commands');
export const openKeyboardHelp = (): void => shownPalette.set('keyboard');
export const closePalette = (): void => shownPalette.set(null);
