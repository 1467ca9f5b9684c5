import type { FileReferencePart } from '@chatd/protocol';

export const linesOf = ({
  start_line,
  end_line,
}: Pick<FileReferencePart, 'start_line' | 'end_line'>): string =>
  start_line === end_line ? `line ${start_line}` : `lines ${start_line}–${end_line}`;
