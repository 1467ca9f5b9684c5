import type { AnthropicRule } from './rule.ts';
import { isBlank, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks, blocksOf } from './rule.ts';

const MID_SYSTEM = 'mid-conversation-system';

const someMessage: AnthropicRule = ({ body }) =>
  objects(body['messages']).length === 0
    ? badRequest('messages: at least one message is required')
    : undefined;

const knownRoles: AnthropicRule = ({ body, request }) => {
  const mayInstruct = request.headers['anthropic-beta']?.includes(MID_SYSTEM) === true;
  for (const [index, { role }] of objects(body['messages']).entries()) {
    if (role === 'user' || role === 'assistant' || (role === 'system' && mayInstruct)) continue;
    return role === 'system'
      ? badRequest(
          'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
        )
      : badRequest(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  return undefined;
};

const userFirst: AnthropicRule = ({ body }) =>
  objects(body['messages'])[0]?.['role'] === 'assistant'
    ? badRequest('messages: first message must use the "user" role')
    : undefined;

/** Only a turn that the service paused can end with an assistant message. */
const userLast: AnthropicRule = ({ body }) => {
  const last = objects(body['messages']).at(-1);
  if (last?.['role'] !== 'assistant') return undefined;
  const end = blocksOf(last).at(-1)?.['type'];
  return end === 'server_tool_use' || String(end).endsWith('_tool_result')
    ? undefined
    : badRequest(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      );
};

const someContent: AnthropicRule = ({ body }) => {
  const empty = objects(body['messages']).findIndex(
    (message) => message['role'] !== 'system' && blocksOf(message).length === 0,
  );
  return empty < 0
    ? undefined
    : badRequest(
        `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`,
      );
};

const noBlankText: AnthropicRule = ({ body }) => {
  const { system } = body;
  const instructions = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  const blocks = [...objects(instructions), ...allBlocks(body).map(({ block }) => block)];
  const nested = blocks.flatMap((block) => objects(block['content']));
  const blank = [...blocks, ...nested].find(
    (block) => block['type'] === 'text' && isBlank(block['text']),
  );
  if (blank === undefined) return undefined;
  return blank['text'] === ''
    ? badRequest('messages: text content blocks must be non-empty')
    : badRequest('messages: text content blocks must contain non-whitespace text');
};

export const messageRules: readonly AnthropicRule[] = [
  someMessage,
  knownRoles,
  userFirst,
  someContent,
  noBlankText,
  userLast,
];
