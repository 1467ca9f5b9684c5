import { type Highlights, TOKEN_KINDS } from './tokens.ts';

/**
 * CSS custom highlights instead of elements: the text stays one node that can grow, the layout does not change, and a
 * thousand lines cost a thousand ranges, not ten thousand elements. Browsers without them show plain code.
 */
const painted = TOKEN_KINDS.map((kind) => {
  if (typeof Highlight === 'undefined' || !('highlights' in CSS)) return undefined;
  const highlight = new Highlight();
  CSS.highlights.set(`code-${kind}`, highlight);
  return highlight;
});

/** Returns a function that removes the highlights. */
export function paint(node: Text, highlights: Highlights): () => void {
  const ranges: [Highlight, AbstractRange][] = [];
  for (let at = 0; at + 2 < highlights.length; at += 3) {
    const [start = 0, end = 0, kind = 0] = highlights.slice(at, at + 3);
    const highlight = painted[kind];
    if (highlight === undefined || end > node.length) continue;
    const range = new StaticRange({
      startContainer: node,
      startOffset: start,
      endContainer: node,
      endOffset: end,
    });
    highlight.add(range);
    ranges.push([highlight, range]);
  }
  return () => {
    for (const [highlight, range] of ranges) highlight.delete(range);
  };
}
