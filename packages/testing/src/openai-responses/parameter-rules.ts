import type { ResponsesRule } from './rule.ts';
import { asText, isGiven, objects } from '../json.ts';
import { duplicateFault, functionFault } from '../openai/functions.ts';
import { badRequest } from '../refusal.ts';

const PARAMETERS = new Set([
  'background',
  'context_management',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]);

const unknownParameter: ResponsesRule = ({ body }) => {
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  return unknown === undefined
    ? undefined
    : badRequest(`Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' });
};

const model: ResponsesRule = ({ body }) =>
  body['model']
    ? undefined
    : badRequest("Missing required parameter: 'model'.", {
        param: 'model',
        code: 'missing_required_parameter',
      });

const functions: ResponsesRule = ({ body }) => {
  const names: unknown[] = [];
  for (const [index, tool] of objects(body['tools']).entries()) {
    if (tool['type'] !== 'function') continue;
    const refusal = functionFault(tool, `tools[${index}]`);
    if (refusal) return refusal;
    names.push(tool['name']);
  }
  return duplicateFault(names);
};

const knownPrevious: ResponsesRule = ({ body, issued }) => {
  const id = asText(body['previous_response_id']);
  return id === '' || issued.responses.has(id)
    ? undefined
    : badRequest(`Previous response with id '${id}' not found.`, {
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      });
};

const oneChain: ResponsesRule = ({ body }) =>
  isGiven(body['previous_response_id']) && isGiven(body['conversation'])
    ? badRequest(
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these.",
        { param: 'previous_response_id', code: 'mutually_exclusive_parameters' },
      )
    : undefined;

export const parameterRules: readonly ResponsesRule[] = [
  unknownParameter,
  model,
  functions,
  oneChain,
  knownPrevious,
];
