/** A text longer than this is easier to handle, for everybody, as a file. */
export const LONG_PASTE = 4000;

export type Pasted<F> =
  | { readonly kind: 'files'; readonly files: readonly F[] }
  | { readonly kind: 'long-text'; readonly text: string }
  /** The browser does it. */
  | { readonly kind: 'text' };

/**
 * What a paste means. Office programs put a picture of the text beside it: with formatted text there, the text is
 * what was copied. `plain`: somebody asked for text, by the keys that browsers have for it.
 */
export function pasted<F>(
  clipboard: {
    readonly files: readonly F[];
    readonly text: string;
    readonly types: readonly string[];
  },
  plain: boolean,
): Pasted<F> {
  const { files, text, types } = clipboard;
  const formatted = types.includes('text/html') || types.includes('text/rtf');
  if (files.length > 0 && !(text.trim() !== '' && formatted)) return { kind: 'files', files };
  return text.length > LONG_PASTE && !plain ? { kind: 'long-text', text } : { kind: 'text' };
}
