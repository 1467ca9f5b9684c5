import type { Message, Part } from '@chatd/protocol';
import { duration } from '../output/quantities.ts';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import type { Page } from '../terminal/markdown.ts';
import { type Span, span, wrap } from '../terminal/wrap.ts';

/** A message of the user, as it stands in the transcript. */
export function userLines({ content }: Pick<Message, 'content'>, { width, style }: Page): string[] {
  const text = content
    .map(inputText)
    .filter((one) => one !== '')
    .join('\n');
  return wrap([span(text, 'bold')], width, style, { first: style('cyan', '› '), rest: '  ' });
}

function inputText(part: Part): string {
  if (part.type === 'text') return terminalText(part.text).trimEnd();
  if (part.type === 'file') return `[${oneLine(part.name ?? 'file')}]`;
  if (part.type === 'file-reference') return `[${oneLine(part.file_name)}]`;
  return '';
}

/** Folded: that it thought, and for how long. */
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
  return wrap([span(terminalText(text).trim(), 'dim', 'italic')], width, style, { first: '  ' });
}

/** Something that chatd says, and not the model. */
export function noticeLines(
  text: string,
  { width, style }: Page,
  look: 'dim' | 'yellow' | 'red' = 'dim',
): string[] {
  const spans: Span[] = [span(terminalText(text), look)];
  return wrap(spans, width, style);
}
