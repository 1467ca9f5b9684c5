import type { Message } from '@chatd/protocol';
import { readableContent, type ReadablePart } from '@chatd/protocol/presentation';
import { oneLine, terminalText } from '../output/terminal-text.ts';
import { callOf, markOf, providerLine, sourceLine } from './provider-line.ts';

/** A message as plain text: its text, a line per tool call, and each source once. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  const { parts, sources } = readableContent(content, markOf);
  return [...parts.map((part) => partText(part, parts)), ...sources.map(sourceLine)]
    .filter((text) => text !== '')
    .join('\n');
}

function partText(part: ReadablePart, parts: readonly ReadablePart[]): string {
  switch (part.type) {
    case 'text':
      return terminalText(part.text).trimEnd();
    case 'tool-call':
      // Printed with its result.
      if (part.provider_executed === true) return '';
      return oneLine(`→ ${part.tool_name} ${JSON.stringify(part.args ?? {})}`);
    case 'tool-result': {
      if (part.provider_executed === true) {
        const line = providerLine(callOf(parts, part), part);
        return `${part.is_error === true ? '✗' : '←'} ${line}`;
      }
      const text = terminalText(
        typeof part.result === 'string' ? part.result : JSON.stringify(part.result ?? null),
      ).trimEnd();
      return `${part.is_error === true ? '✗' : '←'} ${oneLine(part.tool_name)} ${text}`;
    }
    case 'file':
      return `[file ${oneLine(part.name ?? part.file_id)}]`;
    case 'file-reference':
      return `[${oneLine(part.file_name)}:${part.start_line}-${part.end_line}]`;
    case 'reasoning':
      return '';
  }
}
