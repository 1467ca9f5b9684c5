import type { BodyOf } from '@chatd/client';
import type { RouteName } from '@chatd/protocol';
import { usageError } from '../command-failed.ts';

/** The option that reaches every field of the API, also those without an option of their own. */
export const SET_OPTION = {
  set: {
    type: 'string',
    multiple: true,
    value: 'FIELD=VALUE',
    help: 'A field of the API; the value is JSON, or text where it is none',
  },
} as const;

/** `--set a=1 --set b.c=text` as an object. */
export function fieldsOf(settings: readonly string[] = []): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) {
      throw usageError(
        `--set ${JSON.stringify(setting)} has no value.`,
        'It looks like --set name=value.',
      );
    }
    put(fields, setting.slice(0, at).split('.'), valueOf(setting.slice(at + 1)));
  }
  return fields;
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = into[name];
  const next: Record<string, unknown> =
    typeof inner === 'object' && inner !== null ? { ...inner } : {};
  put(next, rest, value);
  into[name] = next;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Those that were given. */
export const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A body that is made from text: the server checks its fields, and says which is wrong. */
export function bodyFor<Name extends RouteName>(
  _call: Name,
  ...fields: readonly object[]
): BodyOf<Name> {
  return Object.assign({}, ...fields.map(given)) as BodyOf<Name>;
}

/** A whole number, or a refusal that names the option. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw usageError(`${option} must be a whole number, and is ${JSON.stringify(text)}.`);
}
