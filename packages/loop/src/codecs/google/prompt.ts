import type { JSONObject, JSONValue, LanguageModelV4Message as Message } from '@ai-sdk/provider';
import { type Fields, hasOnly, isFields, isString } from '../fields.ts';
import { mapAll } from '../map-all.ts';

type Content<Role extends Message['role']> = Extract<Message, { role: Role }>['content'];
type Part<Role extends 'user' | 'assistant' | 'tool'> = Content<Role>[number];
type Result = Extract<Part<'tool'>, { type: 'tool-result' }>;
type File = Extract<Part<'user'>, { type: 'file' }>;
type Parts = JSONObject[] | undefined;

/** The content of a message for Google's API. Undefined if a part is outside the subset. */
export function contentOf(message: Message, isGemini3: boolean): JSONObject | undefined {
  switch (message.role) {
    case 'system':
      return { text: message.content };
    case 'user':
      return withRole('user', mapAll(message.content, userPart));
    case 'assistant':
      return withRole('model', modelParts(message.content, isGemini3));
    case 'tool':
      return withRole(
        'user',
        mapAll(message.content, (part) => resultPart(part, isGemini3)),
      );
  }
}

const withRole = (role: string, parts: Parts): JSONObject | undefined => parts && { role, parts };

function userPart(part: Part<'user'>): JSONObject | undefined {
  if (part.providerOptions !== undefined) return undefined;
  return part.type === 'text' ? { text: part.text } : inlineData(part);
}

function inlineData({ data, mediaType }: Pick<File, 'data' | 'mediaType'>): JSONObject | undefined {
  if (data.type !== 'data' || !isString(data.data) || !/^[\w-]+\/[\w.+-]+$/.test(mediaType))
    return undefined;
  return { inlineData: { mimeType: mediaType, data: data.data } };
}

function modelParts(content: Content<'assistant'>, isGemini3: boolean): Parts {
  let hasSignedCall = false;
  const converted: JSONObject[] = [];
  for (const part of content) {
    const signature = signatureOf(part.providerOptions);
    if (signature === undefined) return undefined;
    if (part.type === 'text' || part.type === 'reasoning') {
      const isThought = part.type === 'reasoning' && { thought: true };
      if (part.text !== '' || 'thoughtSignature' in signature)
        converted.push({ text: part.text, ...isThought, ...signature });
    } else if (
      part.type === 'tool-call' &&
      part.providerExecuted !== true &&
      !isString(part.input)
    ) {
      // The package marks the missing signature, with a warning.
      const isSigned = 'thoughtSignature' in signature;
      if (isGemini3 && !isSigned && !hasSignedCall) return undefined;
      hasSignedCall ||= isSigned;
      const args = part.input as JSONValue;
      const functionCall = { id: part.toolCallId, name: part.toolName, args };
      converted.push({ functionCall, ...signature });
    } else return undefined;
  }
  return converted;
}

/** Undefined if there are other options. */
function signatureOf(options: Fields | undefined): { thoughtSignature?: string } | undefined {
  if (options === undefined) return {};
  const own = options['google'];
  if (!isFields(own) || !hasOnly(own, ['thoughtSignature'])) return undefined;
  const { thoughtSignature } = own;
  if (thoughtSignature === undefined) return {};
  return isString(thoughtSignature) ? { thoughtSignature } : undefined;
}

function resultPart(part: Part<'tool'>, isGemini3: boolean): JSONObject | undefined {
  if (part.type !== 'tool-result' || part.providerOptions !== undefined) return undefined;
  const { toolCallId: id, toolName: name, output } = part;
  const response = responseOf(output, isGemini3);
  return (
    response && {
      functionResponse: { id, name, ...response, response: { name, ...response.response } },
    }
  );
}

function responseOf(
  output: Result['output'],
  isGemini3: boolean,
): { response: JSONObject; parts?: JSONObject[] } | undefined {
  switch (output.type) {
    case 'text':
      return { response: { content: output.value } };
    case 'error-text':
      return { response: { error: output.value } };
    case 'json':
    case 'error-json': {
      // The package protects references of JSON schemas.
      if (JSON.stringify(output.value).includes('"$ref"')) return undefined;
      const { value } = output;
      return { response: output.type === 'json' ? { content: value } : { error: value } };
    }
    case 'content': {
      const texts: string[] = [];
      const parts: JSONObject[] = [];
      for (const part of output.value) {
        const file = part.type === 'file' ? inlineData(part) : undefined;
        if (part.type === 'text') texts.push(part.text);
        else if (file === undefined) return undefined;
        else parts.push(file);
      }
      if (!isGemini3) return undefined;
      const content = texts.length === 0 ? 'Tool executed successfully.' : texts.join('\n');
      return { response: { content }, ...(parts.length > 0 && { parts }) };
    }
    case 'execution-denied':
      return undefined;
  }
}
