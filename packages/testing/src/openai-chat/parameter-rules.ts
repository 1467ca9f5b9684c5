import type { JsonObject } from '../json.ts';
import type { Rule } from '../refusal.ts';
import { asObject, isGiven, objects } from '../json.ts';
import { duplicateFault, functionFault } from '../openai/functions.ts';
import { badRequest } from '../refusal.ts';

export const PARAMETERS: ReadonlySet<string> = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

function unknownParameter(known: ReadonlySet<string>): Rule<JsonObject> {
  return (body) => {
    const unknown = Object.keys(body).find((key) => !known.has(key));
    return unknown === undefined
      ? undefined
      : badRequest(`Unknown parameter: '${unknown}'.`, {
          param: unknown,
          code: 'unknown_parameter',
        });
  };
}

const model: Rule<JsonObject> = (body) =>
  body['model'] ? undefined : badRequest('you must provide a model parameter');

const streamOptions: Rule<JsonObject> = (body) =>
  isGiven(body['stream_options']) && body['stream'] !== true
    ? badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
        param: 'stream_options',
      })
    : undefined;

const someTools: Rule<JsonObject> = ({ tools, tool_choice: choice }) => {
  if (Array.isArray(tools) && tools.length === 0) {
    return badRequest(
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'tools', code: 'empty_array' },
    );
  }
  return isGiven(choice) && !isGiven(tools)
    ? badRequest(
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        { param: 'tool_choice' },
      )
    : undefined;
};

const functions: Rule<JsonObject> = ({ tools }) => {
  const names: unknown[] = [];
  for (const [index, tool] of objects(tools).entries()) {
    if (tool['type'] !== 'function') continue;
    const definition = asObject(tool['function']);
    const refusal = functionFault(definition, `tools[${index}].function`);
    if (refusal) return refusal;
    names.push(definition['name']);
  }
  return duplicateFault(names);
};

export function parameterRules(known: ReadonlySet<string>): readonly Rule<JsonObject>[] {
  return [unknownParameter(known), model, streamOptions, someTools, functions];
}
