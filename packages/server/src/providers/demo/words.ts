/** Groups of whole words with the whitespace around them. */
export function words(text: string, each: number): string[] {
  return text.match(new RegExp(`(?:\\s*\\S+\\s*){1,${each}}|\\s+`, 'gu')) ?? [];
}

/** Slices by code points, so that no surrogate pair is split. */
export function slices(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}
