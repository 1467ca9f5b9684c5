import type { ScriptedAnswer } from '../answer.ts';
import type { JsonObject } from '../json.ts';
import type { TextPart } from '../parts.ts';
import { joined } from '../frame.ts';

/** Queries and results of a search, and the text they support. */
export function groundingOf({ parts }: ScriptedAnswer): JsonObject {
  const searches = parts.filter((part) => part.type === 'web-search');
  const texts = parts.filter((part) => part.type === 'text');
  const cited = texts.flatMap((text) => text.citations);
  if (searches.length === 0 && cited.length === 0) return {};
  const found = [...searches.flatMap((search) => search.results), ...cited];
  const urls = [...new Set(found.map(({ url }) => url))];
  const titleOf = (uri: string) =>
    found.find(({ url, title }) => url === uri && title)?.title ?? '';
  return {
    groundingMetadata: {
      webSearchQueries: searches.map((search) => search.query),
      searchEntryPoint: { renderedContent: '<div class="container"></div>' },
      groundingChunks: urls.map((uri) => ({ web: { uri, title: titleOf(uri) } })),
      groundingSupports: texts.flatMap((text) => supports(text, urls)),
    },
  };
}

function supports(part: TextPart, urls: readonly string[]): JsonObject[] {
  const text = joined(part.pieces);
  return part.citations.map(({ url, start = 0, end = text.length }) => ({
    segment: { startIndex: start, endIndex: end, text: text.slice(start, end) },
    groundingChunkIndices: [urls.indexOf(url)],
  }));
}
