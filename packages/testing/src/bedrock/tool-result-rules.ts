import type { JsonObject } from '../json.ts';
import type { BedrockRule } from './rule.ts';
import { asObject, asText, isBlank, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { allBlocks, blocksWith, messagesOf } from './rule.ts';

const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function idsOf(message: JsonObject | undefined, field: 'toolUse' | 'toolResult'): string[] {
  return blocksWith(message, field).map((block) => asText(asObject(block[field])['toolUseId']));
}

const wellFormedCalls: BedrockRule = ({ body }) => {
  for (const { path, block, role } of allBlocks(body)) {
    if (!('toolUse' in block)) continue;
    const { toolUseId, name, input } = asObject(block['toolUse']);
    if (role !== 'assistant') {
      return badRequest(`The toolUse block at ${path} must be in a message of the assistant role.`);
    }
    if (!ID.test(asText(toolUseId)) || !NAME.test(asText(name))) {
      return badRequest(
        `1 validation error detected: Value at '${path}.member.toolUse' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
      );
    }
    if (!isObject(input)) {
      return badRequest(
        `The format of the value at ${path}.toolUse.input is invalid. Provide a json object for the field and try again.`,
      );
    }
  }
  return undefined;
};

const uniqueCalls: BedrockRule = ({ body }) => {
  for (const [index, message] of messagesOf(body).entries()) {
    const ids = idsOf(message, 'toolUse');
    const twice = ids.find((id, at) => ids.indexOf(id) < at);
    if (twice !== undefined) {
      return badRequest(
        `The toolUse blocks at messages.${index}.content contain duplicate Ids: ${twice}`,
      );
    }
  }
  return undefined;
};

const answeredCalls: BedrockRule = ({ body }) => {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const results = idsOf(messages[index + 1], 'toolResult');
    const open = idsOf(message, 'toolUse').filter((id) => !results.includes(id));
    if (open.length > 0) {
      return badRequest(
        `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(', ')}`,
      );
    }
  }
  return undefined;
};

const noOrphanResults: BedrockRule = ({ body }) => {
  const messages = messagesOf(body);
  for (const [index, message] of messages.entries()) {
    const calls = idsOf(messages[index - 1], 'toolUse');
    const results = idsOf(message, 'toolResult');
    if (results.some((id) => !calls.includes(id)) || results.length > calls.length) {
      return badRequest(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
  }
  return undefined;
};

const someResult: BedrockRule = ({ body }) => {
  for (const { path, block } of allBlocks(body)) {
    const { content } = asObject(block['toolResult']);
    if (!('toolResult' in block)) continue;
    const blank = objects(content).findIndex((part) => 'text' in part && isBlank(part['text']));
    if (blank >= 0) {
      return badRequest(
        `The text field in the ToolResultContentBlock object at ${path}.toolResult.content.${blank} is blank. Add text to the text field, and try again.`,
      );
    }
  }
  return undefined;
};

export const toolResultRules: readonly BedrockRule[] = [
  wellFormedCalls,
  uniqueCalls,
  noOrphanResults,
  answeredCalls,
  someResult,
];
