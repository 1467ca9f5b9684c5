import type { JsonObject } from '../json.ts';
import type { GoogleRule } from './rule.ts';
import { duplicateIndex } from '../duplicate.ts';
import { asObject, asText, isObject, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { schemaFault } from '../tool-schema.ts';
import { isGemini3 } from './model.ts';
import { parametersFault } from './schema.ts';

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function declarationsOf(body: JsonObject): JsonObject[] {
  return objects(body['tools']).flatMap((tool) => objects(tool['functionDeclarations']));
}

const functions: GoogleRule = ({ body }) => {
  for (const [index, tool] of objects(body['tools']).entries()) {
    for (const [at, declaration] of objects(tool['functionDeclarations']).entries()) {
      const path = `tools[${index}].function_declarations[${at}]`;
      if (!NAME.test(asText(declaration['name']))) {
        return badRequest(
          `* GenerateContentRequest.${path}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
        );
      }
      const { parameters, parametersJsonSchema: schema = parameters } = declaration;
      const fault = schema === undefined ? undefined : schemaFault(schema);
      if (fault) {
        return badRequest(`* GenerateContentRequest.${path}.parameters: [FIELD_INVALID] ${fault}`);
      }
      const alien = isObject(parameters) && parametersFault(parameters, `${path}.parameters`);
      if (alien) return badRequest(alien);
    }
  }
  return undefined;
};

const uniqueNames: GoogleRule = ({ body }) => {
  const names = declarationsOf(body).map(({ name }) => asText(name));
  const index = duplicateIndex(names);
  return index < 0
    ? undefined
    : badRequest(`Duplicate function declaration found: ${asText(names[index])}`);
};

/** Gemini 3 combines its own tools with functions on request; older models do not. */
const combinations: GoogleRule = ({ body, model }) => {
  const { includeServerSideToolInvocations: combines } = asObject(body['toolConfig']);
  if (combines === true && !isGemini3(model)) {
    return badRequest(`Tool call context circulation is not enabled for models/${model}`);
  }
  const builtIn = objects(body['tools']).some((tool) =>
    Object.keys(tool).some((key) => key !== 'functionDeclarations'),
  );
  if (!builtIn || declarationsOf(body).length === 0 || combines === true) return undefined;
  return badRequest(
    isGemini3(model)
      ? 'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.'
      : 'Tool use with function calling is unsupported',
  );
};

export const toolRules: readonly GoogleRule[] = [functions, uniqueNames, combinations];
