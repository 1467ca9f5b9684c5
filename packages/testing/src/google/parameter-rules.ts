import type { JsonObject } from '../json.ts';
import type { GoogleRule } from './rule.ts';
import { asObject } from '../json.ts';
import { badRequest } from '../refusal.ts';

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

const MAX_BYTES = 20 * 1024 * 1024;

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

/** Without it, the service streams one JSON array, which is not supported here. */
const serverSentEvents: GoogleRule = ({ streams, query }) =>
  streams && new URLSearchParams(query).get('alt') !== 'sse'
    ? badRequest('The fake provider streams server-sent events only: ask for ?alt=sse.')
    : undefined;

/** The limit applies to the whole request, not only to its files. */
const payloadSize: GoogleRule = ({ bytes }) =>
  bytes > MAX_BYTES
    ? badRequest(`Request payload size exceeds the limit: ${MAX_BYTES} bytes.`)
    : undefined;

export const parameterRules: readonly GoogleRule[] = [
  payloadSize,
  knownParameters,
  serverSentEvents,
];
