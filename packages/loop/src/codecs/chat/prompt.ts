import type { JSONObject, JSONValue, LanguageModelV4Message as Message } from '@ai-sdk/provider';
import { isFields, isString } from '../fields.ts';
import { mapAll } from '../map-all.ts';

type Part<Role extends 'user' | 'assistant' | 'tool'> = Extract<
  Message,
  { role: Role }
>['content'][number];
type File = Extract<Part<'user'>, { type: 'file' }>;
type Output = Extract<Part<'tool'>, { type: 'tool-result' }>['output'];

/** How prompts depend on the package, the model, and its options. */
export interface ChatPromptOptions {
  readonly isCompatible: boolean;
  readonly systemRole: string;
  /** Compatible services only: whether results can contain files. */
  readonly mediaInResults: boolean;
}

/** The messages for the Chat Completions API, or undefined if a part is outside the subset. */
export function chatMessages(
  message: Message,
  options: ChatPromptOptions,
): JSONObject[] | undefined {
  if (hasOwnOptions(message)) return undefined;
  switch (message.role) {
    case 'system':
      return [{ role: options.systemRole, content: message.content }];
    case 'user':
      return userMessage(message.content, options);
    case 'assistant':
      return assistantMessage(message.content, options);
    case 'tool':
      return mapAll(
        message.content.filter((part) => part.type === 'tool-result'),
        (part): JSONObject | undefined => {
          const content = hasOwnOptions(part) ? undefined : resultContent(part.output, options);
          if (content === undefined) return undefined;
          return { role: 'tool', tool_call_id: part.toolCallId, content };
        },
      );
  }
}

/** Options that the packages read from prompts. chatd sends none, except signatures of Google's models. */
const OWN = ['openai', 'openaiCompatible', 'openai-compatible', 'google'];

const hasOwnOptions = ({ providerOptions }: { providerOptions?: object | undefined }): boolean =>
  providerOptions !== undefined && OWN.some((name) => name in providerOptions);

function userMessage(
  content: readonly Part<'user'>[],
  options: ChatPromptOptions,
): JSONObject[] | undefined {
  const [first] = content;
  if (content.some(hasOwnOptions)) return undefined;
  if (content.length === 1 && first?.type === 'text') {
    return [{ role: 'user', content: first.text }];
  }
  const parts = mapAll(content, (part, index) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : filePart(part, options.isCompatible ? 'document.pdf' : `part-${index}.pdf`),
  );
  return parts && [{ role: 'user', content: parts }];
}

const AUDIO: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

function filePart(
  { data, mediaType, filename }: Pick<File, 'data' | 'mediaType' | 'filename'>,
  otherwise: string,
): JSONObject | undefined {
  if (data.type !== 'data') return undefined;
  const base64 = isString(data.data) ? data.data : Buffer.from(data.data).toString('base64');
  const url = `data:${mediaType};base64,${base64}`;
  if (/^image\/[\w.+-]+$/.test(mediaType)) return { type: 'image_url', image_url: { url } };
  const format = AUDIO.get(mediaType);
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: base64, format } };
  return mediaType === 'application/pdf'
    ? { type: 'file', file: { filename: filename ?? otherwise, file_data: url } }
    : undefined;
}

function assistantMessage(
  content: readonly Part<'assistant'>[],
  { isCompatible }: ChatPromptOptions,
): JSONObject[] | undefined {
  if (content.some(hasOwnOptions)) return undefined;
  let text = '';
  let reasoning = '';
  const calls: JSONObject[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool-call') {
      const args = isCompatible ? anyArguments(part.input) : objectArguments(part.input);
      if (args === undefined) return undefined;
      calls.push({
        id: part.toolCallId,
        type: 'function',
        function: { name: part.toolName, arguments: args },
      });
    }
  }
  return [
    {
      role: 'assistant',
      content: calls.length > 0 ? text || null : text,
      ...(isCompatible && reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** Text is outside the subset: the packages send it as it is only if it is JSON. */
const anyArguments = (input: unknown): string | undefined =>
  isString(input) ? undefined : JSON.stringify(input);

const objectArguments = (input: unknown): string | undefined =>
  isString(input) ? undefined : JSON.stringify(isFields(input) ? input : {});

function resultContent(
  output: Output,
  { isCompatible, mediaInResults }: ChatPromptOptions,
): JSONValue | undefined {
  if ('providerOptions' in output && hasOwnOptions(output)) return undefined;
  switch (output.type) {
    case 'text':
      return output.value;
    case 'error-text':
      return isCompatible ? output.value : JSON.stringify({ error: output.value });
    case 'error-json':
      return JSON.stringify(isCompatible ? output.value : { error: output.value });
    case 'json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'Tool call execution denied.';
    case 'content':
      if (output.value.some((part) => hasOwnOptions(part))) return undefined;
      if (!mediaInResults) return JSON.stringify(output.value);
      return mapAll(output.value, (part) => {
        if (part.type === 'text') return { type: 'text', text: part.text };
        return part.type === 'file' ? filePart(part, 'document.pdf') : undefined;
      });
  }
}
