import { styleText } from 'node:util';

export type Format =
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strikethrough'
  | 'inverse'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'magenta'
  | 'cyan';

/** Colours a text, or leaves it as it is where colours are off. */
export type Style = (formats: Format | readonly Format[], text: string) => string;

export const plain: Style = (_, text) => text;

const coloured: Style = (formats, text) =>
  text === '' ? '' : styleText([formats].flat(), text, { validateStream: false });

export interface ColourWish {
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTTY: boolean;
}

/** A flag decides, then NO_COLOR and FORCE_COLOR, then whether there is a terminal. */
export function styleFor({ flag, env, isTTY }: ColourWish): Style {
  if (flag !== undefined) return flag ? coloured : plain;
  if ((env['NO_COLOR'] ?? '') !== '') return plain;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced === '0' ? plain : coloured;
  return isTTY && env['TERM'] !== 'dumb' ? coloured : plain;
}
