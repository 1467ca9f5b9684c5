import type { InputPart, Json } from '@chatd/protocol';
import { Refused, refusedField } from '../chat/refused.ts';
import type { Decision } from '../chat/transitions/decide-approvals.ts';
import type { ToolResult } from '../chat/transitions/submit-tool-results.ts';
import { filePart, type PostedPart } from '../protocols/input-files.ts';
import type { ChatMessage, ContentPart, InputItem } from './requests.ts';

interface Call {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly args: Json;
}

/** A message of the input, before its files are stored. */
export type Draft =
  | { readonly role: 'user'; readonly parts: PostedPart[] }
  | { readonly role: 'assistant'; readonly texts: string[]; readonly calls: Call[] }
  | { readonly role: 'tool'; readonly results: ToolResult[] };

export interface Input {
  /** Of system and developer messages. */
  readonly instructions: string[];
  readonly drafts: Draft[];
  readonly approvals: Decision[];
}

export const APPROVAL_PREFIX = 'mcpr_';

/** Parses untrusted JSON, or throws `Refused`. */
export type ParseJson = (bytes: Uint8Array) => Json;

/** Sorts the items of a request into messages of a history. */
export function readInput(
  input: string | readonly InputItem[] | null | undefined,
  parse: ParseJson,
): Input {
  const read: Input = { instructions: [], drafts: [], approvals: [] };
  if (typeof input === 'string') read.drafts.push({ role: 'user', parts: [text(input)] });
  else {
    for (const [index, item] of (input ?? []).entries()) {
      addItem(read, item, `input.${index}`, parse);
    }
  }
  return read;
}

function addItem(
  { instructions, drafts, approvals }: Input,
  item: InputItem,
  path: string,
  parse: ParseJson,
): void {
  const callOf = (id: string) => {
    const { name, arguments: json } = item as Extract<InputItem, { arguments: string }>;
    return { tool_call_id: id, tool_name: name, args: argumentsOf(json, path, parse) };
  };
  if (!('type' in item) || item.type === undefined || item.type === 'message') {
    if (!('role' in item)) return;
    const parts = partsOf(item.content, path);
    if (item.role === 'user') drafts.push({ role: 'user', parts });
    else if (item.role === 'assistant') assistant(drafts).texts.push(textOf(parts, path));
    else instructions.push(textOf(parts, path));
    return;
  }
  switch (item.type) {
    case 'function_call':
      assistant(drafts).calls.push(callOf(item.call_id));
      return;
    case 'function_call_output':
      results(drafts).push({
        tool_call_id: item.call_id,
        output: textOf(partsOf(item.output, path), path),
      });
      return;
    case 'mcp_call':
      assistant(drafts).calls.push(callOf(item.id));
      results(drafts).push({ tool_call_id: item.id, output: item.output ?? '' });
      return;
    case 'mcp_approval_response':
      approvals.push({
        tool_call_id: item.approval_request_id.replace(APPROVAL_PREFIX, ''),
        decision: item.approve ? 'allow' : 'deny',
        reason: item.reason ?? undefined,
      });
      return;
    case 'reasoning':
    case 'mcp_approval_request':
      return;
  }
}

/** The last draft, if it is of the assistant, else a new one. */
function assistant(drafts: Draft[]): Extract<Draft, { role: 'assistant' }> {
  const last = drafts.at(-1);
  if (last?.role === 'assistant') return last;
  const added = { role: 'assistant' as const, texts: [], calls: [] };
  drafts.push(added);
  return added;
}

function results(drafts: Draft[]): ToolResult[] {
  const last = drafts.at(-1);
  if (last?.role === 'tool') return last.results;
  const added: ToolResult[] = [];
  drafts.push({ role: 'tool', results: added });
  return added;
}

const text = (content: string): InputPart => ({ type: 'text', text: content });

function partsOf(content: string | readonly ContentPart[], path: string): PostedPart[] {
  if (typeof content === 'string') return [text(content)];
  return content.map((part, index): PostedPart => {
    const at = `${path}.content.${index}`;
    switch (part.type) {
      case 'input_text':
      case 'output_text':
        return text(part.text);
      case 'refusal':
        return text(part.refusal);
      case 'input_image':
        return fileOf(part.file_id, part.image_url, 'image', `${at}.image_url`);
      case 'input_file': {
        const { file_id, file_data, filename } = part;
        return fileOf(file_id, file_data, filename ?? 'file', `${at}.file_data`);
      }
    }
  });
}

/** A file of this server, a data URL, or plain Base64. */
function fileOf(
  fileId: string | null | undefined,
  data: string | null | undefined,
  name: string,
  path: string,
): PostedPart {
  if (fileId) return { type: 'file', file_id: fileId.replace(/^file-/, '') };
  const found = filePart(data ?? '', name);
  if (found !== undefined) return found;
  // One class: overlapping repetitions would take quadratic time.
  if (!data || !/^[A-Za-z0-9+/=\s]+$/.test(data)) {
    throw refusedField(
      path,
      'must be a data: URL or a file of this server. chatd does not fetch other URLs',
    );
  }
  const mediaType = name.toLowerCase().endsWith('.pdf')
    ? 'application/pdf'
    : 'application/octet-stream';
  return { type: 'new-file', name, mediaType, bytes: Buffer.from(data, 'base64') };
}

function textOf(parts: readonly PostedPart[], path: string): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      throw refusedField(path, 'can contain only text here. Send files in a user message');
    })
    .join('');
}

function argumentsOf(json: string, path: string, parse: ParseJson): Json {
  try {
    return parse(Buffer.from(json || '{}'));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw refusedField(`${path}.arguments`, 'must be JSON, not nested too deeply');
  }
}

/** The messages of a chat completion as items of a response. */
export function itemsOfMessages(messages: readonly ChatMessage[]): InputItem[] {
  return messages.flatMap(({ role, content, tool_calls, tool_call_id }): InputItem[] => {
    const parts = typeof content === 'string' ? content : (content ?? []).map(asContentPart);
    if (role === 'tool') {
      return [{ type: 'function_call_output', call_id: tool_call_id ?? '', output: parts }];
    }
    return [
      ...(parts.length > 0 ? [{ role, content: parts }] : []),
      ...(tool_calls ?? []).map((call) => ({
        type: 'function_call' as const,
        call_id: call.id,
        ...call.function,
      })),
    ];
  });
}

type ChatPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

function asContentPart(part: ChatPart): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'refusal':
      return part;
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url };
    case 'file':
      return { type: 'input_file', ...part.file };
  }
}
