/** Longer texts are attached as a file. */
export const LONG_PASTE = 4000;

export type Pasted<F> =
  | { readonly kind: 'files'; readonly files: readonly F[] }
  | { readonly kind: 'long-text'; readonly text: string }
  /** The browser handles it. */
  | { readonly kind: 'text' };

/**
 * What to do with a paste. Office programs add a picture of the copied text: when formatted text is present, the text
 * is used. `plain`: the user pasted with the browser's shortcut for plain text.
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
