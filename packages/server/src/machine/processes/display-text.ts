const decoder = new TextDecoder();

/** Decodes process output into text that can be stored: invalid UTF-8 and NUL are replaced. */
export function displayText(bytes: Uint8Array): string {
  return decoder.decode(bytes).replaceAll('\0', '\uFFFD');
}
