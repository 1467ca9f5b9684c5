import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asText, objects } from '../json.ts';

/** Records values that the vendors require back: signatures, encrypted content, item IDs. */
export function learn(sent: readonly JsonObject[], issued: Issued): void {
  const part = sent.at(-1) ?? {};
  for (const values of Object.values(asObject(part['providerMetadata'])).map(asObject)) {
    const { signature, thoughtSignature, redactedData, reasoningEncryptedContent, itemId } = values;
    if (typeof signature === 'string') issued.signatures.set(signature, textOf(sent, part['id']));
    if (typeof thoughtSignature === 'string') issued.signatures.set(thoughtSignature, undefined);
    for (const sealed of [redactedData, reasoningEncryptedContent]) {
      if (typeof sealed === 'string') issued.sealed.add(sealed);
    }
    if (typeof itemId === 'string') issued.items.set(itemId, { type: asText(part['type']) });
  }
  for (const { encryptedContent } of objects(part['result'])) {
    if (typeof encryptedContent === 'string') issued.sealed.add(encryptedContent);
  }
}

function textOf(sent: readonly JsonObject[], id: unknown): string {
  return sent
    .filter((part) => part['id'] === id)
    .map((part) => asText(part['delta']))
    .join('');
}
