import type { JsonObject } from '../json.ts';
import type { BedrockRule } from './rule.ts';
import { asObject, asText } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const ERRORS = 'The model returned the following errors: ';

/** Claude's error for foreign reasoning, passed on by Bedrock. */
const signed: BedrockRule = ({ body, issued }) => {
  for (const { path, role, block } of allBlocks(body)) {
    if (!('reasoningContent' in block)) continue;
    if (role !== 'assistant') {
      return badRequest(`The reasoningContent block at ${path} must be in an assistant message.`);
    }
    const fault = faultOf(asObject(block['reasoningContent']), issued);
    if (fault) return badRequest(`${ERRORS}${path}: ${fault}`);
  }
  return undefined;
};

function faultOf(
  content: JsonObject,
  issued: { signatures: ReadonlyMap<string, string | undefined>; sealed: ReadonlySet<string> },
): string | undefined {
  if (content['redactedContent'] !== undefined) {
    return issued.sealed.has(asText(content['redactedContent']))
      ? undefined
      : 'Invalid `data` in `redacted_thinking` block';
  }
  const { text, signature } = asObject(content['reasoningText']);
  if (!signature) return 'thinking.signature: Field required';
  if (!issued.signatures.has(asText(signature))) return 'Invalid `signature` in `thinking` block';
  const original = issued.signatures.get(asText(signature));
  return original === undefined || original === text
    ? undefined
    : '`thinking` blocks cannot be modified. These blocks must remain as they were in the original response.';
}

export const reasoningRules: readonly BedrockRule[] = [signed];
