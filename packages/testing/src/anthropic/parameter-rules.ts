import type { AnthropicRule } from './rule.ts';
import { Buffer } from 'node:buffer';
import { outputFault } from '../claude/output-limit.ts';
import { asText, isGiven, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks } from './rule.ts';

const PARAMETERS = new Set([
  'cache_control',
  'compaction',
  'container',
  'context_management',
  'fallbacks',
  'inference_geo',
  'max_tokens',
  'mcp_servers',
  'messages',
  'metadata',
  'model',
  'output_config',
  'output_format',
  'safeguards',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'thread',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
]);

const REQUIRED = ['model', 'max_tokens', 'messages'];
const MAX_CACHE_MARKS = 4;
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

const requestSize: AnthropicRule = ({ request }) =>
  Buffer.byteLength(request.raw) > MAX_REQUEST_BYTES
    ? { status: 413, message: 'Request exceeds the maximum size' }
    : undefined;

const unknownParameter: AnthropicRule = ({ body }) => {
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  return unknown ? badRequest(`${unknown}: Extra inputs are not permitted`) : undefined;
};

const missingParameter: AnthropicRule = ({ body }) => {
  const missing = REQUIRED.find((key) => body[key] === undefined);
  return missing ? badRequest(`${missing}: Field required`) : undefined;
};

const outputBudget: AnthropicRule = ({ body }) => {
  const { max_tokens: max, thinking } = body;
  if (typeof max !== 'number' || max < 1) {
    return badRequest('max_tokens: Input should be greater than or equal to 1');
  }
  const fault = outputFault(asText(body['model']), max);
  if (fault) return badRequest(fault);
  const [budget] = objects([thinking]).map((config) => config['budget_tokens']);
  return typeof budget === 'number' && budget >= max
    ? badRequest('`max_tokens` must be greater than `thinking.budget_tokens`.')
    : undefined;
};

const cacheMarks: AnthropicRule = ({ body }) => {
  const blocks = allBlocks(body).map(({ block }) => block);
  const nested = blocks.flatMap((block) => objects(block['content']));
  const all = [body, ...objects(body['system']), ...objects(body['tools']), ...blocks, ...nested];
  const marks = all.filter((block) => isGiven(block['cache_control'])).length;
  return marks > MAX_CACHE_MARKS
    ? badRequest(
        `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
      )
    : undefined;
};

export const parameterRules: readonly AnthropicRule[] = [
  requestSize,
  unknownParameter,
  missingParameter,
  outputBudget,
  cacheMarks,
];
