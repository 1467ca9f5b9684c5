import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asObject, asText, objects } from '../json.ts';

function detailsOf(chunk: JsonObject): JsonObject[] {
  return objects(chunk['choices']).flatMap((choice) =>
    objects(asObject(choice['delta'])['reasoning_details']),
  );
}

/** Records signatures with the thinking they sign, and encrypted reasoning. */
export function learn(sent: readonly JsonObject[], issued: Issued): void {
  for (const { signature, data } of detailsOf(sent.at(-1) ?? {})) {
    if (typeof data === 'string') issued.sealed.add(data);
    if (typeof signature !== 'string') continue;
    const details = sent.flatMap(detailsOf);
    // A signature covers the thinking since the previous one.
    const begin = details.slice(0, -1).findLastIndex((detail) => 'signature' in detail) + 1;
    const text = details.slice(begin).map((detail) => asText(detail['text']));
    issued.signatures.set(signature, text.join(''));
  }
}
