import type { Json } from '@chatd/protocol';
import type { PlainApi } from '../../packages/server/test/upgrade/observe.ts';

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[];
  readonly responses?: Readonly<Record<string, { readonly content?: object } | undefined>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const PREFIX = '/api/v1';
/** Enough to see every kind of object, without reading each chat of the load. */
const MAX_IDS = 40;

export async function documentOf({ url }: PlainApi): Promise<OpenApi> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
}

/** Paths that return JSON to a GET without required query parameters, as a version documents them. */
export const readablePaths = ({ paths }: OpenApi): string[] =>
  Object.entries(paths)
    .filter(([path, { get }]) => path.startsWith(PREFIX) && get !== undefined && isJson(get))
    .map(([path]) => path.slice(PREFIX.length));

export const hasRoute = ({ paths }: OpenApi, method: string, path: string): boolean =>
  paths[`${PREFIX}${path}`]?.[method] !== undefined;

const isJson = ({ parameters = [], responses = {} }: Operation): boolean =>
  'application/json' in (responses['200']?.content ?? {}) &&
  !parameters.some((one) => one.in === 'query' && one.required === true);

/** Replaces the parameters of paths by the ids that the lists of an API contain. */
export async function expandPaths(api: PlainApi, paths: readonly string[]): Promise<string[]> {
  const lists = new Map<string, Promise<string[]>>();
  const idsIn = (list: string): Promise<string[]> => {
    const ids = lists.get(list) ?? readIds(api, list);
    lists.set(list, ids);
    return ids;
  };
  const expand = async (path: string): Promise<string[]> => {
    const [, list, rest] = /^(.*?)\/\{\w+\}(.*)$/.exec(path) ?? [];
    if (list === undefined) return [path];
    const ids = await idsIn(list);
    return (await Promise.all(ids.map((id) => expand(`${list}/${id}${rest}`)))).flat();
  };
  return (await Promise.all(paths.map(expand))).flat();
}

async function readIds(api: PlainApi, list: string): Promise<string[]> {
  const { status, text } = await api.try('GET', list);
  if (status !== 200) return [];
  const page = JSON.parse(text) as Json;
  const objects = Array.isArray(page) ? page : Object.values(page ?? {}).find(Array.isArray);
  return (objects ?? [])
    .map((one: Json) => (isObject(one) ? one['id'] : undefined))
    .filter((id) => typeof id === 'string' || typeof id === 'number')
    .map(String)
    .slice(0, MAX_IDS);
}

/** Values that depend on the replica or the moment. */
const MOMENTARY = new Set([
  'computed_at',
  'host',
  'last_used_at',
  'queued_for_capacity',
  'replica_id',
  'version',
]);
/** The context of a chat has the tools of MCP servers that the replica is connected to. */
const CONNECTED_TOOLS = /^(?:\.mcp_servers\[\d+\])?\.tools$/;
/** Explanations that are not stored. A version may word them differently. */
const EXPLANATIONS = /^(?:\.reason|\.providers\[\d+\]\.error)$/;

/** Where a value differs from an older one that it must contain. Undefined if it does not. */
export function difference(now: Json, before: Json, at = ''): string | undefined {
  if (CONNECTED_TOOLS.test(at) || EXPLANATIONS.test(at)) return undefined;
  if (Array.isArray(before)) {
    if (!Array.isArray(now)) return `${at}: ${brief(now)} instead of ${brief(before)}`;
    const expected = at === '.chats' ? before.filter((chat) => !isSubagent(chat)) : before;
    if (now.length !== expected.length) {
      const only = (these: Json[], those: Json[]) =>
        brief(these.filter((one) => !those.some((other) => idOf(other) === idOf(one))));
      return `${at}: only now ${only(now, expected)}, only before ${only(expected, now)}`;
    }
    return firstOf(
      expected.map((one, index) => difference(now[index] ?? null, one, `${at}[${index}]`)),
    );
  }
  if (isObject(before) && isObject(now)) {
    return firstOf(
      Object.entries(before)
        .filter(([key]) => !MOMENTARY.has(key))
        .map(([key, value]) => difference(now[key] ?? null, value, `${at}.${key}`)),
    );
  }
  return now === before ? undefined : `${at}: ${brief(now)} instead of ${brief(before)}`;
}

const firstOf = (found: readonly (string | undefined)[]): string | undefined =>
  found.find((one) => one !== undefined);

/** Versions before 0.1.0 list subagents with all other chats. */
const isSubagent = (chat: Json): boolean => isObject(chat) && Boolean(chat['parent_chat_id']);

const idOf = (value: Json): string =>
  JSON.stringify(isObject(value) && 'id' in value ? value['id'] : value);

const brief = (value: Json): string => JSON.stringify(value).slice(0, 400);

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
