/** Browsers take seconds to insert longer texts with their own command. */
const UNDOABLE = 2000;

/**
 * Replaces a range as if typed, so that undo works and React is notified. `execCommand` is deprecated, but no other API
 * keeps the native undo history.
 */
export function replaceRange(
  field: HTMLTextAreaElement,
  from: number,
  to: number,
  text: string,
): void {
  field.focus();
  field.setSelectionRange(from, to);
  const typed =
    text.length <= UNDOABLE &&
    (text === ''
      ? from === to || document.execCommand('delete')
      : document.execCommand('insertText', false, text));
  if (typed) return;
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
