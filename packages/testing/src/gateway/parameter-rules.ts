import type { GatewayRule } from './rule.ts';
import { DUPLICATE_NAMES, inputSchemaFault } from '../claude/tool-rules.ts';
import { duplicateIndex } from '../duplicate.ts';
import { asText, isGiven, isObject, objects } from '../json.ts';
import { parametersFault } from '../openai/schema.ts';
import { badRequest } from '../refusal.ts';
import { schemaFault } from '../tool-schema.ts';
import { allParts, promptOf, saidTo } from './rule.ts';

const PARAMETERS = new Set([
  'frequencyPenalty',
  'headers',
  'includeRawChunks',
  'maxOutputTokens',
  'presencePenalty',
  'prompt',
  'providerOptions',
  'reasoning',
  'responseFormat',
  'seed',
  'stopSequences',
  'temperature',
  'toolChoice',
  'tools',
  'topK',
  'topP',
]);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_CACHE_MARKS = 4;

const specification: GatewayRule = ({ request: { headers } }) => {
  if (headers['ai-language-model-specification-version'] !== '4') {
    return badRequest('ai-language-model-specification-version: expected 4');
  }
  return headers['ai-language-model-id']
    ? undefined
    : badRequest('ai-language-model-id: header is required');
};

const knownParameters: GatewayRule = ({ body }) => {
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  return unknown ? badRequest(`Unrecognized key: "${unknown}"`) : undefined;
};

const functions: GatewayRule = ({ body, vendor }) => {
  for (const [index, tool] of objects(body['tools']).entries()) {
    if (tool['type'] !== 'function') continue;
    const at = `tools.${index}`;
    if (!NAME.test(asText(tool['name']))) {
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    }
    const schema = tool['inputSchema'];
    if (!isObject(schema) || schema['type'] !== 'object') {
      return badRequest(`${at}.inputSchema.type: Input should be 'object'`);
    }
    const fault = schemaFault(schema);
    if (fault) return badRequest(`${at}.inputSchema: ${fault}`);
    const unsupported = vendor === 'anthropic' && inputSchemaFault(schema);
    if (unsupported) return badRequest(`${at}.custom.input_schema: ${unsupported}`);
    const invalid = vendor === 'openai' && parametersFault(schema, tool['strict'] === true);
    if (invalid) {
      return badRequest(`Invalid schema for function '${asText(tool['name'])}': ${invalid}.`);
    }
  }
  return undefined;
};

/** The gateway passes on the vendor's error. */
const uniqueNames: GatewayRule = ({ body, vendor }) => {
  const names = objects(body['tools']).map((tool) => asText(tool['name']));
  const index = duplicateIndex(names);
  if (index < 0) return undefined;
  return badRequest(
    vendor === 'google' ? `Duplicate function declaration found: ${names[index]}` : DUPLICATE_NAMES,
  );
};

/** A vendor-defined tool is valid for that vendor only. */
const ownTools: GatewayRule = ({ body, vendor }) => {
  const foreign = objects(body['tools']).find(({ type, id }) => {
    const owner = asText(id).split('.')[0];
    return type === 'provider' && owner !== vendor && owner !== 'gateway';
  });
  return foreign
    ? badRequest(`The tool ${asText(foreign['id'])} is not supported by this model.`)
    : undefined;
};

const cacheMarks: GatewayRule = ({ body, vendor }) => {
  if (vendor !== 'anthropic') return undefined;
  const all = [...promptOf(body), ...allParts(body).map(({ part }) => part)];
  const marks = all.filter((one) => isGiven(saidTo(vendor, one)['cacheControl'])).length;
  return marks > MAX_CACHE_MARKS
    ? badRequest(
        `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
      )
    : undefined;
};

export const parameterRules: readonly GatewayRule[] = [
  specification,
  knownParameters,
  functions,
  uniqueNames,
  ownTools,
  cacheMarks,
];
