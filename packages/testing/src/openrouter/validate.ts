import type { WireRequest } from '../dialect.ts';
import type { Issued } from '../issued.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal, Rule } from '../refusal.ts';
import { asObject, asText, isGiven, isJsonObject, objects } from '../json.ts';
import { mediaRules } from '../openai-chat/media-rules.ts';
import { messageFields } from '../openai-chat/message-fields.ts';
import { messageRules } from '../openai-chat/message-rules.ts';
import { PARAMETERS, parameterRules } from '../openai-chat/parameter-rules.ts';
import { toolResultRules } from '../openai-chat/tool-result-rules.ts';
import { badRequest, firstRefusal } from '../refusal.ts';
import { reasoningFault } from './reasoning-rules.ts';

const EXTRAS = [
  'cache_control',
  'debug',
  'include_reasoning',
  'min_p',
  'models',
  'plugins',
  'provider',
  'reasoning',
  'repetition_penalty',
  'route',
  'session_id',
  'top_a',
  'top_k',
  'trace',
  'transforms',
  'usage',
];
const EFFORTS = ['xhigh', 'high', 'medium', 'low', 'minimal', 'none'];
const MAX_CACHE_MARKS = 4;

const knownTools: Rule<JsonObject> = ({ tools }) => {
  const index = objects(tools).findIndex(
    ({ type }) => type !== 'function' && !/^openrouter:[a-z_]+$/.test(asText(type)),
  );
  return index < 0
    ? undefined
    : badRequest(`tools.${index}.type: Invalid input: expected "function" or a server tool`);
};

const knownEffort: Rule<JsonObject> = ({ reasoning }) => {
  const [effort] = objects([reasoning]).map((config) => config['effort']);
  return isGiven(effort) && !EFFORTS.includes(asText(effort))
    ? badRequest(`reasoning.effort: Invalid option: expected one of ${EFFORTS.join('|')}`)
    : undefined;
};

/** Limited by the model behind it, with Anthropic's limit. */
const cacheMarks: Rule<JsonObject> = (body) => {
  const messages = objects(body['messages']);
  const parts = messages.flatMap(({ content }) => objects(content));
  const all = [body, ...messages, ...parts, ...objects(body['tools'])];
  const marks = all.filter((block) => isGiven(block['cache_control'])).length;
  return marks > MAX_CACHE_MARKS
    ? badRequest(
        `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
      )
    : undefined;
};

/** Anthropic's models require an object as arguments. */
const readableArguments: Rule<JsonObject> = ({ model, messages }) => {
  if (!asText(model).startsWith('anthropic/')) return undefined;
  for (const [index, message] of objects(messages).entries()) {
    for (const [at, call] of objects(message['tool_calls']).entries()) {
      const text = asText(asObject(call['function'])['arguments']);
      if (text === '' || isJsonObject(text)) continue;
      return badRequest(
        `messages.${index}.content.${at}.tool_use.input: Input should be a valid dictionary`,
      );
    }
  }
  return undefined;
};

/** Tool messages also have the tool's name. */
const rules: readonly Rule<JsonObject>[] = [
  ...parameterRules(new Set([...PARAMETERS, ...EXTRAS])),
  knownTools,
  knownEffort,
  ...messageRules,
  messageFields(['cache_control', 'name', 'reasoning', 'reasoning_details']),
  ...toolResultRules,
  readableArguments,
  ...mediaRules,
  cacheMarks,
];

export function validate({ body }: WireRequest, issued: Issued): Refusal | undefined {
  return firstRefusal(rules, body) ?? reasoningFault(body, issued);
}
