import type { WireRequest } from '../dialect.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal, Rule } from '../refusal.ts';
import { asObject, asText, isBlank, isJsonObject, objects } from '../json.ts';
import { messageRules } from '../openai-chat/message-rules.ts';
import { mediaRules } from '../openai-chat/media-rules.ts';
import { messageFields } from '../openai-chat/message-fields.ts';
import { PARAMETERS, parameterRules } from '../openai-chat/parameter-rules.ts';
import { toolResultRules } from '../openai-chat/tool-result-rules.ts';
import { badRequest, firstRefusal } from '../refusal.ts';

/** Extensions of compatible servers. */
const EXTRAS = ['top_k', 'min_p', 'repetition_penalty', 'chat_template_kwargs', 'thinking'];

/** Model templates do not support OpenAI's newer role names. */
const templateRoles: Rule<JsonObject> = ({ messages }) => {
  const index = objects(messages).findIndex(({ role }) => role === 'developer');
  return index < 0
    ? undefined
    : badRequest('Unexpected message role.', { param: `messages[${index}].role` });
};

/** A template accepts instructions only at the beginning. */
const systemFirst: Rule<JsonObject> = ({ messages }) => {
  const roles = objects(messages).map(({ role }) => role);
  const said = roles.findIndex((role) => role !== 'system');
  return said >= 0 && roles.includes('system', said)
    ? badRequest('System message must be at the beginning.')
    : undefined;
};

/** DeepSeek's wording. Such servers reject a message with reasoning only. */
const textOrCalls: Rule<JsonObject> = ({ messages }) => {
  const index = objects(messages).findIndex(
    ({ role, content, tool_calls: calls }) =>
      role === 'assistant' &&
      objects(calls).length === 0 &&
      (Array.isArray(content) ? content.length === 0 : isBlank(content)),
  );
  return index < 0
    ? undefined
    : badRequest('Invalid assistant message: content or tool_calls must be set', {
        param: `messages[${index}]`,
      });
};

/** A template renders the arguments of a call one by one. vLLM's wording. */
const readableArguments: Rule<JsonObject> = ({ messages }) => {
  const calls = objects(messages).flatMap((message) => objects(message['tool_calls']));
  const readable = calls
    .map((call) => asText(asObject(call['function'])['arguments']))
    .every((text) => text === '' || isJsonObject(text));
  return readable ? undefined : badRequest('Can only get item pairs from a mapping.');
};

const rules: readonly Rule<JsonObject>[] = [
  ...parameterRules(new Set([...PARAMETERS, ...EXTRAS])),
  templateRoles,
  textOrCalls,
  ...messageRules,
  systemFirst,
  messageFields(['reasoning_content', 'reasoning']),
  ...toolResultRules,
  readableArguments,
  ...mediaRules,
];

export function validate({ body }: WireRequest): Refusal | undefined {
  return firstRefusal(rules, body);
}
