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

/** Styles a text, or returns it unchanged if colors are off. */
export type Style = (formats: Format | readonly Format[], text: string) => string;

export const plain: Style = (_, text) => text;

const colored: Style = (formats, text) =>
  text === '' ? '' : styleText([formats].flat(), text, { validateStream: false });

interface ColorOptions {
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTTY: boolean;
}

/** The option comes first, then NO_COLOR and FORCE_COLOR, then whether the stream is a terminal. */
export function styleFor({ flag, env, isTTY }: ColorOptions): Style {
  if (flag !== undefined) return flag ? colored : plain;
  if ((env['NO_COLOR'] ?? '') !== '') return plain;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced === '0' ? plain : colored;
  return isTTY && env['TERM'] !== 'dumb' ? colored : plain;
}
