import type { BodyOf } from '@chatd/client';
import type { RouteName } from '@chatd/protocol';
import { usageError } from '../command-failed.ts';
import { collect, Option } from '../command-line/command.ts';

/** Sets any field of the API, including fields without an option of their own. */
export const SET_OPTION = new Option(
  '--set <field=value>',
  'Set an API field. The value is JSON, or else text. Repeatable',
).argParser(collect);

/** `--set a=1 --set b.c=text` as an object. */
export function fieldsOf(settings: readonly string[] = []): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) {
      throw usageError(`--set ${JSON.stringify(setting)} has no value.`, 'Use --set name=value.');
    }
    put(fields, setting.slice(0, at).split('.'), parseValue(setting.slice(at + 1)));
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

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The fields that have a value. */
export const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Merges fields into a request body. The server validates them. */
export function bodyFor<Name extends RouteName>(
  _call: Name,
  ...fields: readonly object[]
): BodyOf<Name> {
  return Object.assign({}, ...fields.map(defined)) as BodyOf<Name>;
}

/** The field `enabled` for `--enable` and `--disable`. */
export const enabledBy = (options: {
  readonly enable?: boolean | undefined;
  readonly disable?: boolean | undefined;
}): boolean | undefined => options.enable ?? (options.disable === true ? false : undefined);

/** Parses the value of an option. */
export function wholeNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw usageError(`${option} must be a whole number, not ${JSON.stringify(text)}.`);
}

/** The value of `--spend-limit` in millionths of a US dollar. Null: none. */
export function spendLimit(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const amount = Number(text);
  if (!Number.isFinite(amount) || amount < 0) {
    throw usageError(`--spend-limit must be an amount such as 12.50, or none.`);
  }
  return Math.round(amount * 1_000_000);
}

/** The time in an option. A date is midnight UTC. */
export const timeOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
