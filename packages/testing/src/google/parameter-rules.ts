import type { JsonObject } from '../json.ts';
import type { GoogleRule } from './rule.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { schemaFault } from '../tool-schema.ts';

const PARAMETERS = new Set([
  'cachedContent',
  'contents',
  'continuationToken',
  'generationConfig',
  'labels',
  'model',
  'safetySettings',
  'serviceTier',
  'store',
  'systemInstruction',
  'toolConfig',
  'tools',
]);

const GENERATION = new Set([
  'audioTimestamp',
  'candidateCount',
  'enableEnhancedCivicAnswers',
  'frequencyPenalty',
  'imageConfig',
  'logprobs',
  'maxOutputTokens',
  'mediaResolution',
  'presencePenalty',
  'responseFormat',
  'responseJsonSchema',
  'responseLogprobs',
  'responseMimeType',
  'responseModalities',
  'responseSchema',
  'seed',
  'speechConfig',
  'stopSequences',
  'temperature',
  'thinkingConfig',
  'topK',
  'topP',
]);

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function unknownIn(object: JsonObject, known: ReadonlySet<string>, at: string) {
  const unknown = Object.keys(object).find((key) => !known.has(key));
  return unknown === undefined
    ? undefined
    : badRequest(
        `Invalid JSON payload received. Unknown name "${unknown}"${at}: Cannot find field.`,
      );
}

const knownParameters: GoogleRule = ({ body }) =>
  unknownIn(body, PARAMETERS, '') ??
  unknownIn(asObject(body['generationConfig']), GENERATION, " at 'generation_config'");

/** Without it the service streams one JSON array, which is not what is faked here. */
const serverSentEvents: GoogleRule = ({ streams, query }) =>
  streams && new URLSearchParams(query).get('alt') !== 'sse'
    ? badRequest('The fake provider streams server-sent events only: ask for ?alt=sse.')
    : undefined;

const functions: GoogleRule = ({ body }) => {
  for (const [index, tool] of objects(body['tools']).entries()) {
    for (const [at, declaration] of objects(tool['functionDeclarations']).entries()) {
      const path = `GenerateContentRequest.tools[${index}].function_declarations[${at}]`;
      if (!NAME.test(asText(declaration['name']))) {
        return badRequest(
          `* ${path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
        );
      }
      const schema = declaration['parametersJsonSchema'] ?? declaration['parameters'];
      const fault = schema === undefined ? undefined : schemaFault(schema);
      if (fault) return badRequest(`* ${path}.parameters: [FIELD_INVALID] ${fault}`);
    }
  }
  return undefined;
};

export const parameterRules: readonly GoogleRule[] = [knownParameters, serverSentEvents, functions];
