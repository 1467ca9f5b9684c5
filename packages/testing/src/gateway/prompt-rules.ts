import type { JsonObject } from '../json.ts';
import type { GatewayRule } from './rule.ts';
import { type ClaudeImage, imageFault } from '../claude/image-rules.ts';
import { isImageOf } from '../image.ts';
import { asObject, asText, isBlank, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allParts, promptOf } from './rule.ts';

/** Allowed parts by role. */
const PARTS: Record<string, readonly string[]> = {
  user: ['text', 'file'],
  assistant: ['text', 'file', 'reasoning', 'reasoning-file', 'tool-call', 'tool-result', 'custom'],
  tool: ['tool-result', 'tool-approval-response'],
};

const someMessage: GatewayRule = ({ body }) => {
  const said = promptOf(body).filter(({ role }) => role !== 'system');
  if (said.length === 0) return badRequest('prompt: at least one message is required');
  return said[0]?.['role'] === 'user'
    ? undefined
    : badRequest('prompt: first message must use the "user" role');
};

const knownParts: GatewayRule = ({ body }) => {
  for (const [index, { role, content }] of promptOf(body).entries()) {
    if (role === 'system') {
      if (isBlank(content)) return badRequest(`prompt.${index}: text must be non-empty`);
      continue;
    }
    const known = PARTS[String(role)];
    if (known === undefined) return badRequest(`prompt.${index}.role: Invalid input`);
    if (objects(content).length === 0) {
      return badRequest(`prompt.${index}: all messages must have non-empty content`);
    }
    const alien = objects(content).find(({ type }) => !known.includes(asText(type)));
    if (alien) return badRequest(`prompt.${index}: ${asText(alien['type'])} is not for this role`);
  }
  return undefined;
};

const noBlankText: GatewayRule = ({ body }) => {
  const blank = allParts(body).find(({ part }) => part['type'] === 'text' && isBlank(part['text']));
  return blank ? badRequest(`${blank.path}: text content blocks must be non-empty`) : undefined;
};

const userLast: GatewayRule = ({ body }) =>
  promptOf(body).at(-1)?.['role'] === 'assistant'
    ? badRequest(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      )
    : undefined;

/** JSON cannot contain bytes: files are base64 or URLs. */
const files: GatewayRule = ({ body, vendor }) => {
  const images: ClaudeImage[] = [];
  for (const { path, part } of allParts(body)) {
    for (const file of [part, ...resultParts(part)].filter(({ type }) => type === 'file')) {
      const { type, data } = asObject(file['data']);
      if (type === 'url') continue;
      const mediaType = asText(file['mediaType']);
      if (type !== 'data' || typeof data !== 'string') {
        return badRequest(`${path}.data: Invalid input: expected a string`);
      }
      if (!mediaType.startsWith('image/')) continue;
      if (vendor !== 'anthropic' && !isImageOf(mediaType, data)) {
        return badRequest(`${path}: Could not process image`);
      }
      images.push({ path: `${path}.image.source.base64`, mediaType, base64: data });
    }
  }
  const fault = vendor === 'anthropic' ? imageFault(images) : undefined;
  return fault ? badRequest(fault) : undefined;
};

function resultParts(part: JsonObject): JsonObject[] {
  return objects(asObject(part['output'])['value']);
}

export const promptRules: readonly GatewayRule[] = [
  someMessage,
  knownParts,
  noBlankText,
  userLast,
  files,
];
