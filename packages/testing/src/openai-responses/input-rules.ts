import type { ResponsesRule } from './rule.ts';
import { asText, isBlank, isGiven, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { inputOf } from './rule.ts';

const ROLES = ['assistant', 'system', 'developer', 'user'];

const someInput: ResponsesRule = ({ body }) =>
  inputOf(body).length > 0 || isGiven(body['previous_response_id'])
    ? undefined
    : badRequest(
        "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.",
        { code: 'missing_required_parameter' },
      );

const knownRoles: ResponsesRule = ({ body }) => {
  for (const [index, { role }] of inputOf(body).entries()) {
    if (role === undefined || ROLES.includes(asText(role))) continue;
    const supported = ROLES.map((known) => `'${known}'`).join(', ');
    return badRequest(`Invalid value: '${asText(role)}'. Supported values are: ${supported}.`, {
      param: `input[${index}]`,
      code: 'invalid_value',
    });
  }
  return undefined;
};

/** OpenAI accepts blank text, but compatible services do not, so clients must not send it. */
const someContent: ResponsesRule = ({ body }) => {
  for (const [index, item] of inputOf(body).entries()) {
    if (item['role'] === undefined) continue;
    const { content } = item;
    const param = `input[${index}].content`;
    if (Array.isArray(content) && content.length === 0) {
      return badRequest(
        `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
        { param, code: 'empty_array' },
      );
    }
    const blankPart = objects(content).some((part) => 'text' in part && isBlank(part['text']));
    if (blankPart || (!Array.isArray(content) && isBlank(content))) {
      return badRequest('Each message must have at least one content element.', { param });
    }
  }
  return undefined;
};

export const inputRules: readonly ResponsesRule[] = [someInput, knownRoles, someContent];
