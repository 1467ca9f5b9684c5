import type { ITheme } from '@xterm/xterm';

/** The 16 ANSI colors, readable in both appearances. */
const LIGHT: ITheme = {
  black: '#17191d',
  red: '#b3261e',
  green: '#146c36',
  yellow: '#7a4a00',
  blue: '#1d5fa8',
  magenta: '#8a2b7a',
  cyan: '#0b6a75',
  white: '#5a616d',
  brightBlack: '#5a616d',
  brightRed: '#c53a31',
  brightGreen: '#1c7c41',
  brightYellow: '#8a5a00',
  brightBlue: '#2d6fbb',
  brightMagenta: '#9c3c8b',
  brightCyan: '#1a7a85',
  brightWhite: '#17191d',
};
const DARK: ITheme = {
  black: '#3a3f47',
  red: '#ff8d85',
  green: '#6fd08c',
  yellow: '#f0b45f',
  blue: '#7fb6f5',
  magenta: '#e29bd8',
  cyan: '#6fd3dd',
  white: '#d5d9df',
  brightBlack: '#949caa',
  brightRed: '#ffaaa4',
  brightGreen: '#93e0a9',
  brightYellow: '#f7cd8c',
  brightBlue: '#a6cdf9',
  brightMagenta: '#efbde7',
  brightCyan: '#98e3ea',
  brightWhite: '#ffffff',
};

/** The colors of the current appearance. */
export function terminalTheme(appearance: 'light' | 'dark'): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    ...(appearance === 'dark' ? DARK : LIGHT),
    background: token('--background'),
    foreground: token('--text'),
    cursor: token('--accent'),
    cursorAccent: token('--background'),
    selectionBackground: token('--surface-selected'),
    selectionForeground: token('--text'),
  };
}
