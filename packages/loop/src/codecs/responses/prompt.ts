import type { JSONObject, LanguageModelV4Message as Message } from '@ai-sdk/provider';
import { areMissing, areOptional, type Fields, isFields, isString } from '../fields.ts';
import { mapAll } from '../map-all.ts';

type Content<Role extends Message['role']> = Extract<Message, { role: Role }>['content'];
type Part<Role extends 'user' | 'assistant' | 'tool'> = Content<Role>[number];
type Output = Extract<Part<'tool'>, { type: 'tool-result' }>['output'];
type File = Extract<Part<'user'>, { type: 'file' }>;

/** Items of the input, or undefined if a part is outside the subset. */
type Items = JSONObject[] | undefined;

/** How prompts depend on the model and its options. */
export interface ItemOptions {
  /** Where options of parts are. */
  readonly namespace: string;
  readonly systemRole: string;
  /** Items can be referenced by ID. */
  readonly stored: boolean;
  /** Stored text can be referenced only together with its reasoning. */
  readonly reasons: boolean;
  /** The call continues a stored response. */
  readonly chained: boolean;
}

/** The input items of a message for OpenAI's Responses API. */
export function itemsOf(message: Message, options: ItemOptions): Items {
  if (message.providerOptions !== undefined) return undefined;
  switch (message.role) {
    case 'system':
      return [{ role: options.systemRole, content: message.content }];
    case 'user': {
      const content = mapAll(message.content, userPart);
      return content && [{ role: 'user', content }];
    }
    case 'assistant':
      return assistantItems(message.content, options);
    case 'tool':
      return mapAll(message.content, (part) => resultItem(part, options.namespace));
  }
}

function userPart(part: Part<'user'>, index: number): JSONObject | undefined {
  if (part.providerOptions !== undefined) return undefined;
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : filePart(part, `part-${index}.pdf`);
}

function filePart(
  { data, mediaType, filename }: Pick<File, 'data' | 'mediaType' | 'filename'>,
  otherwise: string,
): JSONObject | undefined {
  // With a hyphen, it is the ID of a stored file.
  if (data.type !== 'data' || !isString(data.data) || data.data.includes('-')) return undefined;
  const url = `data:${mediaType};base64,${data.data}`;
  if (/^image\/\w+$/.test(mediaType)) return { type: 'input_image', image_url: url };
  return mediaType === 'application/pdf'
    ? { type: 'input_file', filename: filename ?? otherwise, file_data: url }
    : undefined;
}

function assistantItems(content: Content<'assistant'>, options: ItemOptions): Items {
  const items: JSONObject[] = [];
  const thoughts = new Map<string, JSONObject & { summary: JSONObject[] }>();
  const referenced = new Set<string>();
  const { namespace, stored, reasons, chained } = options;
  const refer = (type: string, id: string) => {
    if (!referenced.has(`${type} ${id}`)) items.push({ type: 'item_reference', id });
    referenced.add(`${type} ${id}`);
  };
  let hasThought = false;
  for (const part of content) {
    const own: Fields = part.providerOptions?.[namespace] ?? {};
    const { itemId: id, phase, reasoningEncryptedContent: encrypted } = own;
    if (!areOptional(own, 'string', ['itemId', 'phase', 'reasoningEncryptedContent']))
      return undefined;
    if (part.type === 'text') {
      if (stored && isString(id) && (!reasons || hasThought)) refer(part.type, id);
      else items.push({ role: 'assistant', content: part.text, ...(isString(phase) && { phase }) });
    } else if (part.type === 'tool-call') {
      const item = callItem(part, own);
      if (item === undefined) return undefined;
      items.push(item);
    } else if (part.type === 'reasoning') {
      if (!isString(id)) return undefined;
      hasThought = true;
      if (chained) continue;
      if (stored) {
        refer(part.type, id);
        continue;
      }
      const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
      const known = thoughts.get(id);
      if (known === undefined) {
        const thought = {
          type: 'reasoning',
          id,
          summary,
          ...(isString(encrypted) && { encrypted_content: encrypted }),
        };
        thoughts.set(id, thought);
        items.push(thought);
      } else {
        // The package warns about empty parts.
        if (summary.length === 0) return undefined;
        known.summary.push(...summary);
        if (isString(encrypted)) known['encrypted_content'] = encrypted;
      }
    } else return undefined;
  }
  // The package omits reasoning without encrypted content, with a warning.
  for (const thought of thoughts.values()) if (!('encrypted_content' in thought)) return undefined;
  return items;
}

function callItem(
  part: Extract<Part<'assistant'>, { type: 'tool-call' }>,
  own: Fields,
): JSONObject | undefined {
  const isPlain = areMissing(own, ['parallelToolCall', 'namespace', 'async', 'caller']);
  if (!isPlain || part.providerExecuted === true || !isFields(part.input)) return undefined;
  return {
    type: 'function_call',
    call_id: part.toolCallId,
    name: part.toolName,
    arguments: JSON.stringify(part.input),
  };
}

function resultItem(part: Part<'tool'>, namespace: string): JSONObject | undefined {
  if (part.type !== 'tool-result' || part.providerOptions?.[namespace] !== undefined)
    return undefined;
  const output = resultOutput(part.output);
  return output === undefined
    ? undefined
    : { type: 'function_call_output', call_id: part.toolCallId, output };
}

function resultOutput(output: Output): string | JSONObject[] | undefined {
  if ('providerOptions' in output && output.providerOptions !== undefined) return undefined;
  switch (output.type) {
    case 'text':
      return output.value;
    case 'json':
      return JSON.stringify(output.value);
    case 'error-text':
    case 'error-json':
      return JSON.stringify({ error: output.value });
    case 'content':
      return mapAll(output.value, (part) => {
        if (part.providerOptions !== undefined) return undefined;
        if (part.type === 'text') return { type: 'input_text', text: part.text };
        return part.type === 'file' ? filePart(part, 'data') : undefined;
      });
    case 'execution-denied':
      return undefined;
  }
}
