import type { GoogleRule } from './rule.ts';
import { asObject, isBlank, objects } from '../json.ts';
import { badRequest } from '../refusal.ts';
import { contentsOf, partsWith } from './rule.ts';

const someContents: GoogleRule = ({ body }) =>
  contentsOf(body).length === 0
    ? badRequest('* GenerateContentRequest.contents: contents is not specified\n')
    : undefined;

const knownRoles: GoogleRule = ({ body }) =>
  contentsOf(body).every(({ role }) => role === 'user' || role === 'model')
    ? undefined
    : badRequest('Please use a valid role: user, model.');

const someParts: GoogleRule = ({ body }) => {
  const empty = contentsOf(body).findIndex(({ parts }) => objects(parts).length === 0);
  return empty < 0
    ? undefined
    : badRequest(
        `* GenerateContentRequest.contents[${empty}].parts: contents.parts must not be empty.\n`,
      );
};

/** Only a text with a signature may be empty. */
const noBlankText: GoogleRule = ({ body }) => {
  const all = [asObject(body['systemInstruction']), ...contentsOf(body)];
  const blank = all
    .flatMap((content) => partsWith(content, 'text'))
    .some((part) => isBlank(part['text']) && part['thoughtSignature'] === undefined);
  return blank
    ? badRequest(
        'Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again.',
      )
    : undefined;
};

const userLast: GoogleRule = ({ body }) =>
  contentsOf(body).at(-1)?.['role'] === 'user'
    ? undefined
    : badRequest(
        'Please ensure that multiturn requests end with a user role or a function response.',
      );

export const contentRules: readonly GoogleRule[] = [
  someContents,
  knownRoles,
  someParts,
  noBlankText,
  userLast,
];
