/** Whole words with the white space around them, a few at a time. */
export function words(text: string, each: number): string[] {
  return text.match(new RegExp(`(?:\\s*\\S+\\s*){1,${each}}|\\s+`, 'gu')) ?? [];
}

/** Pieces of a length in code points, so that no surrogate pair is cut in half. */
export function slices(text: string, length: number): string[] {
  return text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
}
