import type { Framebuffer } from '../../../server/src/desktop/rfb/framebuffer.ts';

/** The font `fixed` of X: every character fills a cell of this size. */
const CELL = { width: 6, height: 13 };

/** A terminal prints this first, so that a screenshot shows the shape of each character. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!-/';

export interface Color {
  readonly name: string;
  readonly rgb: readonly [number, number, number];
}

export const BISQUE: Color = { name: '#ffe4c4', rgb: [0xff, 0xe4, 0xc4] };
export const AZURE: Color = { name: '#d0f0ff', rgb: [0xd0, 0xf0, 0xff] };

/** A command that opens a terminal without borders. */
export const terminal = (color: Color, geometry: string, script: string): string =>
  `xterm -fn fixed -b 0 -bw 0 -bg '${color.name}' -fg black -geometry ${geometry} -e sh -c ${quoted(script)}`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A script that prints the alphabet and then echoes its input. */
export const ECHOING = `printf '%s\\n' '${ALPHABET}'; exec cat`;

export const MINT: Color = { name: '#c8ffc8', rgb: [0xc8, 0xff, 0xc8] };
export const ROSE: Color = { name: '#ffd0e0', rgb: [0xff, 0xd0, 0xe0] };

export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** The top left corner of the terminal with this color. The cursor may cover the corner itself. */
export function findTerminal(screen: Framebuffer, { rgb }: Color): Corner | undefined {
  let corner: Corner | undefined;
  for (let y = 0; y < screen.height; y++) {
    for (let x = 0; x < screen.width; x++) {
      if (!isColor(screen, x, y, rgb)) continue;
      corner ??= { x, y };
      if (x < corner.x) corner = { x, y: corner.y };
    }
  }
  return corner;
}

/**
 * The text of a line, decoded from its pixels: each cell is compared with the alphabet in the first line. Empty until
 * the alphabet is visible.
 */
export function readLine(screen: Framebuffer, color: Color, line: number): string {
  const corner = findTerminal(screen, color);
  if (corner === undefined) return '';
  const known = new Map<string, string>([['0'.repeat(CELL.width * CELL.height), ' ']]);
  for (const [index, character] of ALPHABET.split('').entries()) {
    known.set(cell(screen, corner, color, index, 0), character);
  }
  if (known.size <= ALPHABET.length) return '';
  let text = '';
  for (let column = 0; column < ALPHABET.length; column++) {
    text += known.get(cell(screen, corner, color, column, line)) ?? '\u25a1';
  }
  return text.trimEnd();
}

/** Whether the terminal has the keyboard focus: then its cursor, at the start of that line, is filled. */
export function hasKeys(screen: Framebuffer, color: Color, line: number): boolean {
  const corner = findTerminal(screen, color);
  return corner !== undefined && !cell(screen, corner, color, 0, line).includes('0');
}

/** The center of a cell. */
export const cellAt = ({ x, y }: Corner, column: number, line: number): Corner => ({
  x: x + column * CELL.width + 3,
  y: y + line * CELL.height + 6,
});

function cell(
  screen: Framebuffer,
  { x, y }: Corner,
  { rgb }: Color,
  column: number,
  line: number,
): string {
  let bits = '';
  for (let down = 0; down < CELL.height; down++) {
    for (let right = 0; right < CELL.width; right++) {
      const at = [x + column * CELL.width + right, y + line * CELL.height + down] as const;
      bits += isColor(screen, ...at, rgb) ? '0' : '1';
    }
  }
  return bits;
}

function isColor(screen: Framebuffer, x: number, y: number, rgb: Color['rgb']): boolean {
  const at = (y * screen.width + x) * 4;
  return rgb.every((value, channel) => screen.pixels[at + channel] === value);
}
