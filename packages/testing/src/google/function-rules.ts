import type { JsonObject } from '../json.ts';
import type { GoogleRule } from './rule.ts';
import { asObject, asText, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { isGemini3 } from './model.ts';
import { contentsOf, partsWith } from './rule.ts';

/** Placeholder that the service accepts instead of a signature. */
const DUMMIES = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

function called(content: JsonObject | undefined): JsonObject[] {
  return partsWith(content, 'functionCall').map((part) => asObject(part['functionCall']));
}

function answered(content: JsonObject | undefined): JsonObject[] {
  return partsWith(content, 'functionResponse').map((part) => asObject(part['functionResponse']));
}

const callsAfterUser: GoogleRule = ({ body }) => {
  const contents = contentsOf(body);
  const wrong = contents.some(
    (content, index) => called(content).length > 0 && contents[index - 1]?.['role'] !== 'user',
  );
  return wrong
    ? badRequest(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    : undefined;
};

const answersAfterCalls: GoogleRule = ({ body }) => {
  const contents = contentsOf(body);
  const wrong = contents.some(
    (content, index) => answered(content).length > 0 && called(contents[index - 1]).length === 0,
  );
  return wrong
    ? badRequest(
        'Please ensure that function response turn comes immediately after a function call turn.',
      )
    : undefined;
};

const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

/** Older models accept a function's file only here, and only next to a single response. */
const answersAlone: GoogleRule = ({ body, model }) => {
  const mixed = contentsOf(body).some((content) => {
    const answers = answered(content).length;
    const mayMix = answers === 0 || (answers === 1 && !isGemini3(model));
    return !mayMix && objects(content['parts']).length > answers;
  });
  return mixed ? badRequest(UNEQUAL) : undefined;
};

const oneAnswerEach: GoogleRule = ({ body }) => {
  const contents = contentsOf(body);
  for (const [index, content] of contents.entries()) {
    const calls = called(content);
    if (calls.length === 0) continue;
    const answers = answered(contents[index + 1]);
    if (answers.length !== calls.length) {
      return badRequest(UNEQUAL);
    }
    const stranger = answers.find((answer) => !calls.some((call) => isAnswerTo(answer, call)));
    if (stranger) {
      return badRequest(
        `Please ensure that function response turn matches the function call turn: no call of \`${asText(stranger['name'])}\` with id \`${asText(stranger['id'])}\` was made.`,
      );
    }
  }
  return undefined;
};

function isAnswerTo(answer: JsonObject, call: JsonObject): boolean {
  return answer['name'] === call['name'] && answer['id'] === call['id'];
}

/** The first call of every step since the last user message carries the signature of that step. */
const signedCalls: GoogleRule = ({ body, model }) => {
  if (!isGemini3(model)) return undefined;
  const contents = contentsOf(body);
  const spoke = contents.findLastIndex(
    (content) => content['role'] === 'user' && answered(content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const [first] = partsWith(content, 'functionCall');
    if (index < spoke || first === undefined) continue;
    const signature = asText(first['thoughtSignature']);
    if (signature === '') {
      const name = asText(asObject(first['functionCall'])['name']);
      return badRequest(
        'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. ' +
          `Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      );
    }
  }
  return undefined;
};

const knownSignatures: GoogleRule = ({ body, issued }) => {
  const signatures = contentsOf(body)
    .flatMap((content) => partsWith(content, 'thoughtSignature'))
    .map((part) => asText(part['thoughtSignature']));
  const known = signatures.every((value) => issued.signatures.has(value) || DUMMIES.has(value));
  return known ? undefined : badRequest('Corrupted thought signature.');
};

export const functionRules: readonly GoogleRule[] = [
  callsAfterUser,
  answersAfterCalls,
  answersAlone,
  oneAnswerEach,
  signedCalls,
  knownSignatures,
];
