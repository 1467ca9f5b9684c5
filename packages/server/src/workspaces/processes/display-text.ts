const decoder = new TextDecoder();

/** Bytes of a program as text that can be stored and shown: what is no UTF-8, and NUL, is replaced. */
export function displayText(bytes: Uint8Array): string {
  return decoder.decode(bytes).replaceAll('\0', '\uFFFD');
}
