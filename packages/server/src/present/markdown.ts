import type { Chat, Message, ToolCallPart, ToolResultPart } from '@chatd/protocol';
import {
  activityLine,
  type ListedSource,
  providerActivity,
  readableContent,
  type ReadablePart,
  type WebPage,
} from '@chatd/protocol/presentation';

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
      `## ${SPEAKER[message.role]} · ${message.created_at}\n\n${sectionsOf(message).join('\n\n')}\n`,
  );
  return `# ${chat.title.replaceAll(/\s+/g, ' ')}\n\n${sections.join('\n')}`;
}

function sectionsOf({ content }: Message): string[] {
  const { parts, sources } = readableContent(content, (number, { url }) =>
    url.startsWith('document:') ? ` [${number}]` : ` [[${number}]](${address(url)})`,
  );
  return [...parts.flatMap((part) => section(part, parts)), ...sourceList(sources)];
}

function section(part: ReadablePart, parts: readonly ReadablePart[]): string | string[] {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return part.text === '' ? [] : part.text.replaceAll(/^/gm, '> ');
    case 'tool-call':
      if (part.provider_executed === true) return providerSection(part, parts);
      return `**Call** \`${part.tool_name}\`\n\n${block(json(part.args), 'json')}`;
    case 'tool-result':
      // It stands with its call.
      if (part.provider_executed === true) return [];
      return `**${part.is_error === true ? 'Error' : 'Result'}** of \`${part.tool_name}\`\n\n${block(
        typeof part.result === 'string' ? part.result : json(part.result),
      )}`;
    case 'file':
      return `File: ${part.name ?? part.file_id} (${part.media_type})`;
    case 'file-reference':
      return `${part.file_name}, lines ${part.start_line} to ${part.end_line}\n\n${block(part.content)}`;
  }
}

/** A call that the provider executed, with what it found. */
function providerSection(call: ToolCallPart, parts: readonly ReadablePart[]): string {
  const result = parts.find(
    (part): part is ToolResultPart =>
      part.type === 'tool-result' && part.tool_call_id === call.tool_call_id,
  );
  const activity = providerActivity(call, result);
  const state = result === undefined ? 'running' : result.is_error === true ? 'failed' : 'done';
  const line = `*${escaped(activityLine(activity, state))}*`;
  if (activity.kind === 'search' || activity.kind === 'page') {
    return [line, ...(activity.results ?? []).map((page) => `- ${link(page)}`)].join('\n');
  }
  const blocks = [block(json(call.args), 'json'), ...(result ? [block(json(result.result))] : [])];
  return [line, ...blocks].join('\n\n');
}

function sourceList(sources: readonly ListedSource[]): string[] {
  if (sources.length === 0) return [];
  const lines = sources.map(
    (source) => `- ${source.number ? `[${source.number}] ` : ''}${link(source)}`,
  );
  return [`Sources:\n\n${lines.join('\n')}`];
}

const link = ({ url, title = url }: WebPage): string =>
  url.startsWith('document:') ? escaped(title) : `[${escaped(title)}](${address(url)})`;

/** In angle brackets an address may hold parentheses. */
const address = (url: string): string =>
  `<${url.replaceAll(/[<>\s]/g, (char) => encodeURIComponent(char))}>`;

const escaped = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`);

const json = (value: unknown) => JSON.stringify(value ?? null, null, 2);

/** A fence longer than any inside it. */
function block(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
