export interface Searchable {
  readonly name: string;
  readonly description: string;
}

/**
 * The tools that match the words of a query, best first. Words in the name count more than words in the description.
 */
export function search<T extends Searchable>(
  tools: readonly T[],
  query: string,
  most: number,
): T[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return tools
    .map((tool, index) => ({ tool, index, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
    .map(({ tool }) => tool);
}

const WHOLE_NAME = 20;
const NAME_WORD = 5;
const IN_NAME = 3;
const DESCRIPTION_WORD = 2;
const IN_DESCRIPTION = 1;

function scoreOf({ name, description }: Searchable, words: readonly string[]): number {
  const inName = new Set(wordsOf(name));
  const inDescription = new Set(wordsOf(description));
  const lowerName = name.toLowerCase();
  const lowerDescription = description.toLowerCase();
  const score = (word: string) => {
    if (inName.has(word)) return NAME_WORD;
    if (lowerName.includes(word)) return IN_NAME;
    if (inDescription.has(word)) return DESCRIPTION_WORD;
    return lowerDescription.includes(word) ? IN_DESCRIPTION : 0;
  };
  const exact = words.join('_') === wordsOf(name).join('_') ? WHOLE_NAME : 0;
  return words.reduce((sum, word) => sum + score(word), exact);
}

/** `createPullRequest` and `create_pull_request` are three words each. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
