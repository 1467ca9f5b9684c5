import type { WireRequest } from '../dialect.ts';
import type { JsonObject } from '../json.ts';
import type { Refusal, Rule } from '../refusal.ts';
import { objects } from '../json.ts';
import { messageRules } from '../openai-chat/message-rules.ts';
import { mediaRules } from '../openai-chat/media-rules.ts';
import { messageFields } from '../openai-chat/message-fields.ts';
import { PARAMETERS, parameterRules } from '../openai-chat/parameter-rules.ts';
import { toolResultRules } from '../openai-chat/tool-result-rules.ts';
import { badRequest, firstRefusal } from '../refusal.ts';

/** What such servers know beyond OpenAI's own. */
const EXTRAS = ['top_k', 'min_p', 'repetition_penalty', 'chat_template_kwargs', 'thinking'];

/** Templates of models know neither of OpenAI's newer role names. */
const templateRoles: Rule<JsonObject> = ({ messages }) => {
  const index = objects(messages).findIndex(({ role }) => role === 'developer');
  return index < 0
    ? undefined
    : badRequest('Unexpected message role.', { param: `messages[${index}].role` });
};

/** A template has one place for instructions, and it is at the beginning. */
const systemFirst: Rule<JsonObject> = ({ messages }) => {
  const roles = objects(messages).map(({ role }) => role);
  const said = roles.findIndex((role) => role !== 'system');
  return said >= 0 && roles.includes('system', said)
    ? badRequest('System message must be at the beginning.')
    : undefined;
};

const rules: readonly Rule<JsonObject>[] = [
  ...parameterRules(new Set([...PARAMETERS, ...EXTRAS])),
  templateRoles,
  ...messageRules,
  systemFirst,
  messageFields(['reasoning_content', 'reasoning']),
  ...toolResultRules,
  ...mediaRules,
];

export function validate({ body }: WireRequest): Refusal | undefined {
  return firstRefusal(rules, body);
}
