import type { JsonObject } from '../json.ts';
import type { GatewayRule } from './rule.ts';
import { asObject, asText, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allParts, promptOf } from './rule.ts';

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function idsOf(message: JsonObject | undefined, type: string, providerExecuted: boolean): string[] {
  return objects(message?.['content'])
    .filter((part) => part['type'] === type)
    .filter((part) => (part['providerExecuted'] === true) === providerExecuted)
    .map((part) => asText(part['toolCallId']));
}

const wellFormedCalls: GatewayRule = ({ body }) => {
  for (const { path, part } of allParts(body)) {
    if (part['type'] !== 'tool-call') continue;
    if (!ID.test(asText(part['toolCallId']))) {
      return badRequest(`${path}.toolCallId: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
    if (!NAME.test(asText(part['toolName']))) {
      return badRequest(`${path}.toolName: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    }
    if (!isObject(part['input'])) {
      return badRequest(`${path}.input: Input should be a valid dictionary`);
    }
  }
  return undefined;
};

/** The next message has exactly one result for each call. */
const answeredCalls: GatewayRule = ({ body }) => {
  const prompt = promptOf(body);
  for (const [index, message] of prompt.entries()) {
    if (message['role'] === 'tool' && prompt[index - 1]?.['role'] !== 'assistant') {
      return badRequest(`prompt.${index}: results without calls before them`);
    }
    if (message['role'] !== 'assistant') continue;
    const calls = idsOf(message, 'tool-call', false);
    const next = prompt[index + 1];
    const results = next?.['role'] === 'tool' ? idsOf(next, 'tool-result', false) : [];
    const open = calls.filter((id) => !results.includes(id));
    if (open.length > 0) {
      return badRequest(`prompt.${index}: calls without results: ${open.join(', ')}`);
    }
    if (results.length !== calls.length || new Set(calls).size < calls.length) {
      return badRequest(`prompt.${index + 1}: unexpected or duplicate results`);
    }
  }
  return undefined;
};

/** A provider-executed call and its result are in the same message, in that order. */
const ownCalls: GatewayRule = ({ body, issued }) => {
  for (const [index, message] of promptOf(body).entries()) {
    if (message['role'] !== 'assistant') continue;
    const calls = idsOf(message, 'tool-call', true);
    const results = objects(message['content']).filter(({ type }) => type === 'tool-result');
    const ids = results.map((part) => asText(part['toolCallId']));
    const odd = [...calls, ...ids].find((id) => !calls.includes(id) || !ids.includes(id));
    if (odd !== undefined) {
      return badRequest(
        `prompt.${index}: a call of the provider's own and its result belong together: ${odd}`,
      );
    }
    const pages = results.flatMap((part) => objects(asObject(part['output'])['value']));
    const forged = pages.some(
      (page) =>
        page['type'] === 'web_search_result' &&
        !issued.sealed.has(asText(page['encryptedContent'])),
    );
    if (forged) {
      return badRequest(
        `prompt.${index}: Invalid \`encrypted_content\` in \`search_result\` block`,
      );
    }
  }
  return undefined;
};

export const callRules: readonly GatewayRule[] = [wellFormedCalls, answeredCalls, ownCalls];
