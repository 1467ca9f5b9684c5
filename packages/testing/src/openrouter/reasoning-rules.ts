import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';

/** Reasoning is sent back unchanged, to the model that created it. */
export function reasoningFault(body: JsonObject, issued: Issued): Refusal | undefined {
  const claude = asText(body['model']).startsWith('anthropic/');
  for (const [index, message] of objects(body['messages']).entries()) {
    for (const detail of objects(message['reasoning_details'])) {
      const fault = detailFault(detail, claude, issued);
      if (fault) return badRequest(`messages.${index}.reasoning_details: ${fault}`);
    }
  }
  return undefined;
}

function detailFault(detail: JsonObject, claude: boolean, issued: Issued): string | undefined {
  const { type, id, text, data, signature } = detail;
  if (type === 'reasoning.encrypted') {
    return issued.sealed.has(asText(data))
      ? undefined
      : `The encrypted content for item ${asText(id)} could not be verified.`;
  }
  if (type !== 'reasoning.text' || !claude) return undefined;
  if (!signature) return 'thinking.signature: Field required';
  if (!issued.signatures.has(asText(signature))) return 'Invalid `signature` in `thinking` block';
  const original = issued.signatures.get(asText(signature));
  return original === undefined || original === text
    ? undefined
    : '`thinking` blocks in the latest assistant message cannot be modified.';
}
