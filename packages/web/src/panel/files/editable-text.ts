/** Text as a text area has it, and what restores the bytes of the file. */
export interface EditableText {
  /** With line feeds only. */
  readonly text: string;
  readonly lineEnd: '\n' | '\r\n';
}

/** Undefined: saving would change more than the user did, because of another encoding or mixed line ends. */
export function editableText(bytes: ArrayBuffer): EditableText | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  if (!text.includes('\r')) return { text, lineEnd: '\n' };
  const plain = text.replaceAll('\r\n', '\n');
  if (plain.includes('\r') || plain.replaceAll('\n', '\r\n') !== text) return undefined;
  return { text: plain, lineEnd: '\r\n' };
}

export const savedText = (text: string, lineEnd: EditableText['lineEnd']): string =>
  text.replaceAll('\n', lineEnd);
