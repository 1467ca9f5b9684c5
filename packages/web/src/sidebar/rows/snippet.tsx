import type { SearchMatch } from '@chatd/protocol';
import { Mark } from './highlighted.tsx';

/** Longer text before the first match is cut off, so that the match is visible. */
const LEAD = 24;

/** The text around a search match, with the matching words highlighted. */
export function Snippet({ match: { snippet, highlights } }: { readonly match: SearchMatch }) {
  const from = startOf(snippet, highlights[0]?.start ?? 0);
  return (
    <>
      {from > 0 && '…'}
      {highlights.map(({ start, end }, index) => [
        snippet.slice(highlights[index - 1]?.end ?? from, start),
        <Mark key={start}>{snippet.slice(start, end)}</Mark>,
      ])}
      {snippet.slice(highlights.at(-1)?.end ?? from)}
    </>
  );
}

/** The start of a word shortly before the match. */
function startOf(snippet: string, match: number): number {
  if (match <= LEAD) return 0;
  const space = snippet.indexOf(' ', match - LEAD);
  return space === -1 || space >= match ? match : space + 1;
}
