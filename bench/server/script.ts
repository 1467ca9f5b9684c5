/** The text deltas of the last model call of a turn. */
export const DELTAS: readonly string[] = Array.from({ length: 20 }, (_, index) => `word${index} `);
