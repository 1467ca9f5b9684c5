import type { JsonObject } from '../json.ts';
import type { ResponsesRule } from './rule.ts';
import { asText } from '../json.ts';
import { stringFault } from '../openai/string-field.ts';
import { badRequest } from '../refusal.ts';
import { answeredWithScreenshots } from './computer.ts';
import { inputOf } from './rule.ts';

const NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_CALL_ID = 64;

function callIds(items: readonly JsonObject[], type: string): string[] {
  return items.filter((item) => item['type'] === type).map((item) => asText(item['call_id']));
}

const wellFormedCalls: ResponsesRule = ({ body }) => {
  for (const [index, item] of inputOf(body).entries()) {
    if (item['type'] !== 'function_call') continue;
    const path = `input[${index}]`;
    const refusal = stringFault(item, 'call_id', path) ?? stringFault(item, 'arguments', path);
    if (refusal) return refusal;
    if (!NAME.test(asText(item['name']))) {
      return badRequest(
        `Invalid 'input[${index}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        { param: `input[${index}].name`, code: 'invalid_value' },
      );
    }
    const { length } = asText(item['call_id']);
    if (length > MAX_CALL_ID) {
      return badRequest(
        `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length ${MAX_CALL_ID}, but got a string with length ${length} instead.`,
        { param: `input[${index}].call_id`, code: 'string_above_max_length' },
      );
    }
  }
  return undefined;
};

/** An output is text or a list of contents. */
const wellFormedOutputs: ResponsesRule = ({ body }) => {
  for (const [index, item] of inputOf(body).entries()) {
    if (item['type'] !== 'function_call_output') continue;
    const path = `input[${index}]`;
    const text = Array.isArray(item['output']) ? undefined : stringFault(item, 'output', path);
    const refusal = stringFault(item, 'call_id', path) ?? text;
    if (refusal) return refusal;
  }
  return undefined;
};

const answeredCalls: ResponsesRule = ({ body, issued }) => {
  const items = inputOf(body);
  const outputs = new Set(callIds(items, 'function_call_output'));
  const previous = issued.responses.get(asText(body['previous_response_id']))?.calls ?? [];
  const open = [...previous, ...callIds(items, 'function_call')].find((id) => !outputs.has(id));
  return open === undefined
    ? undefined
    : badRequest(`No tool output found for function call ${open}.`, { param: 'input' });
};

const noOrphanOutputs: ResponsesRule = ({ body, issued }) => {
  const calls = new Set(issued.responses.get(asText(body['previous_response_id']))?.calls ?? []);
  for (const item of inputOf(body)) {
    const id = asText(item['call_id']);
    if (item['type'] === 'function_call') calls.add(id);
    if (item['type'] !== 'function_call_output' || calls.delete(id)) continue;
    return badRequest(`No tool call found for function call output with call_id ${id}.`, {
      param: 'input',
    });
  }
  return undefined;
};

export const callRules: readonly ResponsesRule[] = [
  wellFormedCalls,
  wellFormedOutputs,
  noOrphanOutputs,
  answeredCalls,
  answeredWithScreenshots,
];
