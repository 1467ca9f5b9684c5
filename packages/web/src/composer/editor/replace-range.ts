/** Longer texts, of many lines, make a browser's own way of inserting stand still for seconds. */
const UNDOABLE = 2000;

/**
 * Puts text in the place of a range as if it had been typed, so that undoing works and React hears of it. There is no
 * other way to keep a field's own undo than the command that browsers promise to keep for this.
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
