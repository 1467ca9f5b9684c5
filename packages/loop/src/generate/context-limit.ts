/** Exact names, ignoring separators and case. */
const EXACT = new Set([
  'contextlimit',
  'contextwindow',
  'contextlength',
  'maxcontext',
  'maxcontexttokens',
  'maxinputtokens',
  'maxinputtoken',
  'inputtokenlimit',
]);

const wordsOf = (key: string): string[] =>
  key
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

/** By words, not by substring: `max_context_version` is not a limit. */
export function isContextLimitKey(key: string): boolean {
  if (EXACT.has(key.toLowerCase().replace(/[^a-z0-9]/g, ''))) return true;
  const words = new Set(wordsOf(key));
  if (!words.has('context')) return false;
  if (words.has('limit')) return true;
  const max = words.has('max') || words.has('maximum');
  if (words.has('window')) return max || words.has('size');
  return max && (words.has('length') || words.has('token') || words.has('tokens'));
}

function positiveInteger(value: unknown): number | undefined {
  const text = typeof value === 'string' ? value.trim() : undefined;
  const number = text !== undefined && /^\d+$/.test(text) ? Number(text) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0
    ? number
    : undefined;
}

const MAX_DEPTH = 32;

/** The largest positive candidate at any depth of the provider's metadata. */
export function contextLimitIn(metadata: unknown, depth = 0): number | undefined {
  if (typeof metadata !== 'object' || metadata === null || depth > MAX_DEPTH) return undefined;
  let limit: number | undefined;
  for (const [key, value] of Object.entries(metadata)) {
    const own =
      !Array.isArray(metadata) && isContextLimitKey(key) ? positiveInteger(value) : undefined;
    for (const candidate of [own, contextLimitIn(value, depth + 1)]) {
      if (candidate !== undefined && candidate > (limit ?? 0)) limit = candidate;
    }
  }
  return limit;
}
