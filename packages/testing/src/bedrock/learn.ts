import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asText } from '../json.ts';

const thoughtOf = (event: JsonObject) => asObject(asObject(event['delta'])['reasoningContent']);

/** Records signatures with the reasoning they sign, and encrypted reasoning. */
export function learn(sent: readonly JsonObject[], issued: Issued): void {
  const event = sent.at(-1) ?? {};
  const { signature, redactedContent } = thoughtOf(event);
  if (signature !== undefined) {
    const text = sent
      .filter((before) => before['contentBlockIndex'] === event['contentBlockIndex'])
      .map((before) => asText(thoughtOf(before)['text']))
      .join('');
    issued.signatures.set(asText(signature), text);
  }
  if (redactedContent !== undefined) issued.sealed.add(asText(redactedContent));
}
