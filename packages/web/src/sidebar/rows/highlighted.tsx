import { Fragment } from 'react';

/** Text with the search words highlighted. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: string }) {
  const wanted = words.split(/\s+/).filter((word) => word !== '');
  if (wanted.length === 0) return text;
  return piecesOf(text, wanted).map(({ at, piece, hit }) =>
    hit ? <Mark key={at}>{piece}</Mark> : <Fragment key={at}>{piece}</Fragment>,
  );
}

export function Mark({ children }: { readonly children: string }) {
  return <mark className="rounded-sm bg-warn-surface text-inherit underline">{children}</mark>;
}

function piecesOf(text: string, wanted: readonly string[]) {
  const pattern = new RegExp(`(${wanted.map(escaped).join('|')})`, 'giu');
  let at = 0;
  return text.split(pattern).map((piece, index) => {
    const from = at;
    at += piece.length;
    // A pattern with a capture group makes every second piece a match.
    return { at: `${from}-${index % 2}`, piece, hit: index % 2 === 1 };
  });
}

const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
