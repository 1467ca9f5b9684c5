import type { Chat, Message, Part } from '@chatd/protocol';

const SPEAKER: Record<Message['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tools',
};

/** A chat as a document to read. */
export function asMarkdown(chat: Chat, messages: readonly Message[]): string {
  const sections = messages.map(
    (message) =>
      `## ${SPEAKER[message.role]} · ${message.created_at}\n\n${message.content.map(section).join('\n\n')}\n`,
  );
  return `# ${chat.title.replaceAll(/\s+/g, ' ')}\n\n${sections.join('\n')}`;
}

function section(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text.replaceAll(/^/gm, '> ');
    case 'tool-call':
      return `**Call** \`${part.tool_name}\`\n\n${block(json(part.args), 'json')}`;
    case 'tool-result':
      return `**${part.is_error === true ? 'Error' : 'Result'}** of \`${part.tool_name}\`\n\n${block(
        typeof part.result === 'string' ? part.result : json(part.result),
      )}`;
    case 'source':
      return `Source: ${part.title ?? part.url} <${part.url}>`;
    case 'file':
      return `File: ${part.name ?? part.file_id} (${part.media_type})`;
    case 'file-reference':
      return `${part.file_name}, lines ${part.start_line} to ${part.end_line}\n\n${block(part.content)}`;
  }
}

const json = (value: unknown) => JSON.stringify(value ?? null, null, 2);

/** A fence longer than any inside it. */
function block(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
