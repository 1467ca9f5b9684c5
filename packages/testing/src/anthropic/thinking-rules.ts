import type { AnthropicRule } from './rule.ts';
import { asText, isGiven, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const signed: AnthropicRule = ({ body, issued }) => {
  for (const { path, block } of allBlocks(body)) {
    if (block['type'] !== 'thinking') continue;
    const signature = asText(block['signature']);
    if (signature === '') return badRequest(`${path}.thinking.signature: Field required`);
    if (!issued.signatures.has(signature)) {
      return badRequest(`${path}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  return undefined;
};

const redacted: AnthropicRule = ({ body, issued }) => {
  const forged = allBlocks(body).find(
    ({ block }) =>
      block['type'] === 'redacted_thinking' && !issued.sealed.has(asText(block['data'])),
  );
  return forged
    ? badRequest(`${forged.path}: Invalid \`data\` in \`redacted_thinking\` block`)
    : undefined;
};

/** The service checks only the latest assistant message. */
const unmodified: AnthropicRule = ({ body, issued }) => {
  const latest = objects(body['messages']).findLastIndex(({ role }) => role === 'assistant');
  const changed = allBlocks(body).find(({ block, message }) => {
    if (message !== latest || block['type'] !== 'thinking') return false;
    const text = issued.signatures.get(asText(block['signature']));
    return text !== undefined && text !== block['thinking'];
  });
  return changed
    ? badRequest(
        `${changed.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. ` +
          'These blocks must remain as they were in the original response.',
      )
    : undefined;
};

const unmarked: AnthropicRule = ({ body }) => {
  const marked = allBlocks(body).find(
    ({ block }) =>
      (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') &&
      isGiven(block['cache_control']),
  );
  return marked
    ? badRequest(
        `${marked.path}.${asText(marked.block['type'])}.cache_control: Extra inputs are not permitted`,
      )
    : undefined;
};

export const thinkingRules: readonly AnthropicRule[] = [signed, redacted, unmodified, unmarked];
