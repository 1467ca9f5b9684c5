import type { JsonObject } from '../json.ts';
import { asObject, asText } from '../json.ts';

/** Folds the events of a stream into a message. Their fields determine their type. */
export function assemble(events: readonly JsonObject[]): JsonObject {
  const blocks: JsonObject[] = [];
  let stopReason: unknown;
  let usage: unknown;
  for (const event of events) {
    const index = Number(event['contentBlockIndex'] ?? 0);
    stopReason = event['stopReason'] ?? stopReason;
    usage = event['usage'] ?? usage;
    if (event['start'] !== undefined) blocks[index] = { ...asObject(event['start']) };
    if (event['delta'] !== undefined) {
      blocks[index] = extended(blocks[index] ?? {}, asObject(event['delta']));
    }
  }
  return {
    output: { message: { role: 'assistant', content: blocks.map(finished) } },
    stopReason,
    usage,
    metrics: { latencyMs: 100 },
  };
}

function extended(block: JsonObject, delta: JsonObject): JsonObject {
  if (delta['text'] !== undefined) {
    return { text: asText(block['text']) + asText(delta['text']) };
  }
  if (delta['toolUse'] !== undefined) {
    const use = asObject(block['toolUse']);
    const input = asText(use['input']) + asText(asObject(delta['toolUse'])['input']);
    return { toolUse: { ...use, input } };
  }
  const thought = asObject(delta['reasoningContent']);
  if (thought['redactedContent'] !== undefined) return { reasoningContent: thought };
  const said = asObject(asObject(block['reasoningContent'])['reasoningText']);
  const text = asText(said['text']) + asText(thought['text']);
  const signature = thought['signature'] ?? said['signature'];
  return { reasoningContent: { reasoningText: { text, ...(signature ? { signature } : {}) } } };
}

function finished(block: JsonObject): JsonObject {
  if (block['toolUse'] === undefined) return block;
  const use = asObject(block['toolUse']);
  const input: unknown = JSON.parse(asText(use['input']) || '{}');
  return { toolUse: { ...use, input } };
}
