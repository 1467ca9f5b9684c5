import type { Message, Part } from '@chatd/protocol';
import { duration } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { wrap } from '../terminal/wrap.ts';

export function userLines({ content }: Pick<Message, 'content'>, { width, style }: Page): string[] {
  const text = content
    .map(inputText)
    .filter((one) => one !== '')
    .join('\n');
  return wrap(text, width, {
    first: style('cyan', '› '),
    rest: '  ',
    paint: (line) => style('bold', line),
  });
}

function inputText(part: Part): string {
  if (part.type === 'text') return terminalText(part.text).trimEnd();
  if (part.type === 'file') return `[${oneLine(part.name ?? 'file')}]`;
  if (part.type === 'file-reference') return `[${oneLine(part.file_name)}]`;
  return '';
}

/** The line for collapsed reasoning. */
export function reasoningLine(
  created_at: string | undefined,
  completed_at: string | undefined,
  { style }: Page,
): string {
  const took = Date.parse(completed_at ?? '') - Date.parse(created_at ?? '');
  const time = Number.isFinite(took) ? ` for ${duration(Math.max(0, took))}` : '';
  return style('dim', `∴ thought${time}`);
}

export function reasoningLines(text: string, { width, style }: Page): string[] {
  const paint = (line: string) => style(['dim', 'italic'], line);
  return wrap(terminalText(text).trim(), width, { first: '  ', paint });
}

/** A message of chatd, as opposed to the model. */
export function noticeLines(
  text: string,
  { width, style }: Page,
  color: 'dim' | 'yellow' | 'red' = 'dim',
): string[] {
  return wrap(terminalText(text), width, { paint: (line) => style(color, line) });
}
