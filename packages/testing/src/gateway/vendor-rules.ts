import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { GatewayRule } from './rule.ts';
import { asText, isGiven } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allParts, saidTo } from './rule.ts';

/** Reasoning is sent back to its vendor only, with its proof. */
const reasoning: GatewayRule = ({ body, vendor, issued }) => {
  for (const { path, part } of allParts(body)) {
    if (part['type'] !== 'reasoning') continue;
    const said = saidTo(vendor, part);
    const fault =
      vendor === 'anthropic'
        ? thinkingFault(part, said, issued)
        : vendor === 'openai'
          ? itemFault(said, issued)
          : undefined;
    if (fault) return badRequest(`${path}: ${fault}`);
  }
  return undefined;
};

function thinkingFault(part: JsonObject, said: JsonObject, issued: Issued): string | undefined {
  const { signature, redactedData } = said;
  if (isGiven(redactedData)) {
    return issued.sealed.has(asText(redactedData))
      ? undefined
      : 'Invalid `data` in `redacted_thinking` block';
  }
  if (!isGiven(signature)) return 'thinking.signature: Field required';
  if (!issued.signatures.has(asText(signature))) return 'Invalid `signature` in `thinking` block';
  const original = issued.signatures.get(asText(signature));
  return original === undefined || original === part['text']
    ? undefined
    : '`thinking` blocks in the latest assistant message cannot be modified.';
}

function itemFault(said: JsonObject, issued: Issued): string | undefined {
  const { itemId, reasoningEncryptedContent: sealed } = said;
  if (isGiven(sealed)) {
    return issued.sealed.has(asText(sealed))
      ? undefined
      : `The encrypted content for item ${asText(itemId)} could not be verified.`;
  }
  return isGiven(itemId) ? undefined : 'reasoning without its item';
}

/** A vendor rejects IDs and signatures that it did not issue. */
const ownValues: GatewayRule = ({ body, vendor, issued }) => {
  for (const { path, part } of allParts(body)) {
    const { itemId, thoughtSignature } = saidTo(vendor, part);
    if (vendor === 'openai' && isGiven(itemId) && !issued.items.has(asText(itemId))) {
      return badRequest(`${path}: Item with id '${asText(itemId)}' not found.`);
    }
    const signed = vendor === 'google' && isGiven(thoughtSignature);
    if (signed && !issued.signatures.has(asText(thoughtSignature))) {
      return badRequest(`${path}: Corrupted thought signature.`);
    }
  }
  return undefined;
};

export const vendorRules: readonly GatewayRule[] = [reasoning, ownValues];
