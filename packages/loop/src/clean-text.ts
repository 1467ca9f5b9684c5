/** NUL and lone surrogates cannot be stored by PostgreSQL: replaced, wherever text comes in. */
export function cleanText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed();
  return formed.includes('\0') ? formed.replaceAll('\0', '\uFFFD') : formed;
}
