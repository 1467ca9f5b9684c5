import type { BedrockRule } from './rule.ts';
import { isBlank, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks, messagesOf } from './rule.ts';

const someMessage: BedrockRule = ({ body }) =>
  messagesOf(body).length === 0
    ? badRequest(
        'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
      )
    : undefined;

const knownRoles: BedrockRule = ({ body }) => {
  const index = messagesOf(body).findIndex(({ role }) => role !== 'user' && role !== 'assistant');
  return index < 0
    ? undefined
    : badRequest(
        `1 validation error detected: Value at 'messages.${index + 1}.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]`,
      );
};

const userFirst: BedrockRule = ({ body }) =>
  messagesOf(body)[0]?.['role'] === 'assistant'
    ? badRequest(
        'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
      )
    : undefined;

const alternating: BedrockRule = ({ body }) => {
  const messages = messagesOf(body);
  const repeats = messages.some(({ role }, index) => role === messages[index - 1]?.['role']);
  return repeats
    ? badRequest(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      )
    : undefined;
};

const userLast: BedrockRule = ({ body }) =>
  messagesOf(body).at(-1)?.['role'] === 'assistant'
    ? badRequest(
        'The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.',
      )
    : undefined;

const someContent: BedrockRule = ({ body }) => {
  const empty = messagesOf(body).findIndex(({ content }) => objects(content).length === 0);
  return empty < 0
    ? undefined
    : badRequest(
        `The content field in the Message object at messages.${empty} is empty. Add a ContentBlock object to the content field and try again.`,
      );
};

const noBlankText: BedrockRule = ({ body }) => {
  for (const [index, block] of objects(body['system']).entries()) {
    if (!('text' in block) || !isBlank(block['text'])) continue;
    return badRequest(
      `The text field in the SystemContentBlock object at system.${index} is blank. Add text to the text field, and try again.`,
    );
  }
  const blank = allBlocks(body).find(({ block }) => 'text' in block && isBlank(block['text']));
  return blank
    ? badRequest(
        `The text field in the ContentBlock object at ${blank.path} is blank. Add text to the text field, and try again.`,
      )
    : undefined;
};

export const messageRules: readonly BedrockRule[] = [
  someMessage,
  knownRoles,
  userFirst,
  alternating,
  someContent,
  noBlankText,
  userLast,
];
