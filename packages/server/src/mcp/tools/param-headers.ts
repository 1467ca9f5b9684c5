const KEY = 'x-mcp-header';
/** RFC 9110. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * Whether the schema of a tool names headers for its arguments as it must: once each, for simple values, and only in
 * nested `properties`. Clients leave other tools out (2026-07-28, SEP-2243).
 */
export function hasValidParamHeaders(schema: unknown): boolean {
  const names = new Set<string>();
  const isValid = (node: unknown, isReachable: boolean): boolean => {
    if (typeof node !== 'object' || node === null) return true;
    if (Array.isArray(node)) return node.every((one) => isValid(one, false));
    const { [KEY]: name, type, properties, ...others } = node as Readonly<Record<string, unknown>>;
    if (name !== undefined) {
      if (!isReachable || typeof name !== 'string' || !TOKEN.test(name)) return false;
      if (!TYPES.has(type) || names.has(name.toLowerCase())) return false;
      names.add(name.toLowerCase());
    }
    return (
      Object.values(properties ?? {}).every((one) => isValid(one, isReachable)) &&
      Object.values(others).every((one) => isValid(one, false))
    );
  };
  return isValid(schema, true);
}
