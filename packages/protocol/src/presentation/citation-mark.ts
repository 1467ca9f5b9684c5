const FENCE = /^ {0,3}(?:`{3,}|~{3,})/gm;

/** The text to append to Markdown so that a citation mark follows it. Code blocks get no marks. */
export function citationMark(text: string, mark: string): string {
  const fences = text.match(FENCE)?.length ?? 0;
  if (fences % 2 === 1) return '';
  // On the line of a closing fence, the mark would keep the code block open.
  const lastLine = text.slice(text.lastIndexOf('\n') + 1);
  return lastLine.search(FENCE) === 0 ? `\n${mark}` : mark;
}
