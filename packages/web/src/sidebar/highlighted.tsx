import { Fragment } from 'react';

/** A text with the words in it that were looked for. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: string }) {
  const wanted = words.split(/\s+/).filter((word) => word !== '');
  if (wanted.length === 0) return text;
  return piecesOf(text, wanted).map(({ at, piece, hit }) =>
    hit ? (
      <mark key={at} className="rounded-sm bg-warn-surface text-inherit underline">
        {piece}
      </mark>
    ) : (
      <Fragment key={at}>{piece}</Fragment>
    ),
  );
}

function piecesOf(text: string, wanted: readonly string[]) {
  const pattern = new RegExp(`(${wanted.map(escaped).join('|')})`, 'giu');
  let at = 0;
  return text.split(pattern).map((piece, index) => {
    const from = at;
    at += piece.length;
    // What a pattern in brackets has matched stands at every second place.
    return { at: `${from}-${index % 2}`, piece, hit: index % 2 === 1 };
  });
}

const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
