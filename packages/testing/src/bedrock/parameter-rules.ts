import type { JsonObject } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import type { BedrockRule } from './rule.ts';
import { asObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const PARAMETERS = new Set([
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'inferenceConfig',
  'messages',
  'outputConfig',
  'performanceConfig',
  'promptVariables',
  'requestMetadata',
  'serviceTier',
  'system',
  'toolConfig',
]);
const INFERENCE = new Set(['maxTokens', 'stopSequences', 'temperature', 'topP']);
const BLOCKS = new Set([
  'audio',
  'cachePoint',
  'citationsContent',
  'document',
  'guardContent',
  'image',
  'reasoningContent',
  'searchResult',
  'text',
  'toolResult',
  'toolUse',
  'video',
]);
const MAX_CACHE_POINTS = 4;

function extraneous(object: JsonObject, known: ReadonlySet<string>, at: string) {
  const key = Object.keys(object).find((name) => !known.has(name));
  return key === undefined
    ? undefined
    : badRequest(
        `Malformed input request: #${at}: extraneous key [${key}] is not permitted, please reformat your input and try again.`,
      );
}

const knownParameters: BedrockRule = ({ body }) =>
  extraneous(body, PARAMETERS, '') ??
  extraneous(asObject(body['inferenceConfig']), INFERENCE, '/inferenceConfig');

/** A block is a union: it has one member. */
const oneKindEach: BedrockRule = ({ body }) => {
  for (const { path, block } of allBlocks(body)) {
    const unknown = extraneous(block, BLOCKS, `/${path.replaceAll('.', '/')}`);
    if (unknown) return unknown;
    if (Object.keys(block).length !== 1) {
      return badRequest(
        `The ContentBlock object at ${path} must set one of the following keys: ${[...BLOCKS].join(', ')}.`,
      );
    }
  }
  return undefined;
};

const outputBudget: BedrockRule = ({ body }) => {
  const { maxTokens } = asObject(body['inferenceConfig']);
  const { thinking } = asObject(body['additionalModelRequestFields']);
  const { budget_tokens: budget } = asObject(thinking);
  return typeof budget === 'number' && typeof maxTokens === 'number' && budget >= maxTokens
    ? badRequest(
        'The model returned the following errors: `max_tokens` must be greater than `thinking.budget_tokens`.',
      )
    : undefined;
};

const cachePoints: BedrockRule = ({ body, model }) => {
  const tools = objects(asObject(body['toolConfig'])['tools']);
  const blocks = allBlocks(body).map(({ block }) => block);
  const all = [...objects(body['system']), ...tools, ...blocks];
  const count = all.filter((block) => 'cachePoint' in block).length;
  if (count > 0 && !cachesPrompts(model)) return notCached;
  const first = allBlocks(body).find(
    ({ path, block }) => path.endsWith('.content.0') && 'cachePoint' in block,
  );
  if (first) {
    return badRequest(
      `The cachePoint at ${first.path} has nothing before it. Place content before the cache point and try again.`,
    );
  }
  return count > MAX_CACHE_POINTS
    ? badRequest(
        `The model returned the following errors: A maximum of ${MAX_CACHE_POINTS} blocks with cache_control may be provided. Found ${count}.`,
      )
    : undefined;
};

const notCached: Refusal = {
  status: 403,
  message: 'You invoked an unsupported model or your request did not allow prompt caching.',
};

function cachesPrompts(model: string): boolean {
  return (
    /nova-/.test(model) ||
    (/claude/.test(model) &&
      !/claude-(?:v2|instant|3-haiku|3-sonnet|3-opus|3-5-sonnet-20240620)/.test(model))
  );
}

export const parameterRules: readonly BedrockRule[] = [
  knownParameters,
  oneKindEach,
  outputBudget,
  cachePoints,
];
