import type { BedrockRule } from './rule.ts';
import { FORCED_WHILE_THINKING, inputSchemaFault } from '../claude/tool-rules.ts';
import { duplicateIndex } from '../duplicate.ts';
import { asObject, asText, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { schemaFault } from '../tool-schema.ts';
import { allBlocks } from './rule.ts';

const ERRORS = 'The model returned the following errors: ';
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function specsOf(body: Record<string, unknown>) {
  return objects(asObject(body['toolConfig'])['tools'])
    .filter((tool) => 'toolSpec' in tool)
    .map((tool) => asObject(tool['toolSpec']));
}

const legalNames: BedrockRule = ({ body }) => {
  const index = specsOf(body).findIndex(({ name }) => !NAME.test(asText(name)));
  return index < 0
    ? undefined
    : badRequest(
        `1 validation error detected: Value '${asText(specsOf(body)[index]?.['name'])}' at 'toolConfig.tools.${index + 1}.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
      );
};

const uniqueNames: BedrockRule = ({ body }) => {
  const names = specsOf(body).map(({ name }) => name);
  const index = duplicateIndex(names);
  return index < 0
    ? undefined
    : badRequest(
        `The tool ${asText(names[index])} is already defined at toolConfig.tools.${index}.`,
      );
};

const validSpecs: BedrockRule = ({ body }) => {
  for (const [index, spec] of specsOf(body).entries()) {
    const at = `toolConfig.tools.${index}.toolSpec`;
    if (spec['description'] === '') {
      return badRequest(
        `1 validation error detected: Value at '${at}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
    }
    const { json } = asObject(spec['inputSchema']);
    if (!isObject(json) || json['type'] !== 'object') {
      return badRequest(
        `The value at ${at}.inputSchema.json.type must be one of the following: object.`,
      );
    }
    const unsupported = inputSchemaFault(json);
    if (unsupported) {
      return badRequest(`${ERRORS}tools.${index}.custom.input_schema: ${unsupported}`);
    }
    const fault = schemaFault(json);
    if (fault) {
      return badRequest(
        `The json schema definition at ${at}.inputSchema is invalid. Fix the following errors and try again: ${fault}`,
      );
    }
  }
  return undefined;
};

const toolsForCalls: BedrockRule = ({ body }) => {
  const used = allBlocks(body).some(({ block }) => 'toolUse' in block || 'toolResult' in block);
  return used && specsOf(body).length === 0
    ? badRequest(
        'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
      )
    : undefined;
};

const freeWhileThinking: BedrockRule = ({ body }) => {
  const { thinking } = asObject(body['additionalModelRequestFields']);
  const thinks = ['enabled', 'adaptive'].includes(asText(asObject(thinking)['type']));
  const choice = asObject(asObject(body['toolConfig'])['toolChoice']);
  return thinks && ('any' in choice || 'tool' in choice)
    ? badRequest(`${ERRORS}${FORCED_WHILE_THINKING}`)
    : undefined;
};

export const toolRules: readonly BedrockRule[] = [
  legalNames,
  uniqueNames,
  validSpecs,
  toolsForCalls,
  freeWhileThinking,
];
