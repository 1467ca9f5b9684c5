import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asText, isObject, objects } from '../json.ts';

/** Records signatures with the thinking they sign, and all opaque values. */
export function learn(sent: readonly JsonObject[], issued: Issued): void {
  const event = sent.at(-1);
  if (event === undefined) return;
  const { content_block: block, delta } = event;
  if (isObject(block)) learnBlock(block, issued);
  if (isObject(delta) && delta['type'] === 'signature_delta') {
    issued.signatures.set(asText(delta['signature']), thinkingOf(sent, event['index']));
  }
}

function thinkingOf(sent: readonly JsonObject[], index: unknown): string {
  return sent
    .filter((event) => event['type'] === 'content_block_delta' && event['index'] === index)
    .map((event) => (isObject(event['delta']) ? asText(event['delta']['thinking']) : ''))
    .join('');
}

function learnBlock(block: JsonObject, issued: Issued): void {
  if (block['type'] === 'redacted_thinking') issued.sealed.add(asText(block['data']));
  for (const result of objects(block['content'])) {
    const sealed = result['encrypted_content'];
    if (sealed !== undefined) issued.sealed.add(asText(sealed));
  }
}
