import type { JsonObject } from '../json.ts';
import { asText } from '../json.ts';

/** Folds stream parts into content. */
export function assemble(parts: readonly JsonObject[]): JsonObject {
  const content: JsonObject[] = [];
  const open = new Map<unknown, JsonObject>();
  let ending: JsonObject = {};
  for (const part of parts) {
    const { type, id, delta, providerMetadata } = part;
    if (type === 'text-start' || type === 'reasoning-start') {
      const block = { type: asText(type).replace('-start', ''), text: '' };
      open.set(id, block);
      content.push(block);
    }
    const block = open.get(id);
    if (block && delta !== undefined) block['text'] = asText(block['text']) + asText(delta);
    if (block && providerMetadata !== undefined) block['providerMetadata'] = providerMetadata;
    if (WHOLE.has(type)) content.push(part);
    if (type === 'finish') ending = part;
  }
  const { finishReason, usage, providerMetadata } = ending;
  return { content, finishReason, usage, providerMetadata, warnings: [] };
}

const WHOLE = new Set<unknown>(['tool-call', 'tool-result', 'source', 'file']);
