import type { Message, Part } from '@chatd/protocol';
import { oneLine, terminalText } from '../output/terminal-text.ts';

/** A message as plain text: what was said, and a line for each thing that was done. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  return content
    .map(partText)
    .filter((text) => text !== '')
    .join('\n');
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return terminalText(part.text).trimEnd();
    case 'tool-call':
      return `→ ${part.tool_name} ${oneLine(JSON.stringify(part.args ?? {}))}`;
    case 'tool-result': {
      const text = terminalText(
        typeof part.result === 'string' ? part.result : JSON.stringify(part.result ?? null),
      ).trimEnd();
      return `${part.is_error === true ? '✗' : '←'} ${part.tool_name} ${text}`;
    }
    case 'source':
      return `[${oneLine(part.title ?? part.url)}](${oneLine(part.url)})`;
    case 'file':
      return `[file ${oneLine(part.name ?? part.file_id)}]`;
    case 'file-reference':
      return `[${oneLine(part.file_name)}:${part.start_line}-${part.end_line}]`;
    case 'reasoning':
      return '';
  }
}
