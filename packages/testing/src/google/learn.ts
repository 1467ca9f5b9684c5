import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import { asText } from '../json.ts';
import { partsOf } from './chunk.ts';

export function learn(sent: readonly JsonObject[], issued: Issued): void {
  for (const part of partsOf(sent.at(-1) ?? {})) {
    if (part['thoughtSignature'] === undefined) continue;
    issued.signatures.set(asText(part['thoughtSignature']), undefined);
  }
}
