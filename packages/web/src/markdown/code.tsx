import { memo, useEffect, useMemo, useRef } from 'react';
import { requestHighlights } from './highlight/request-highlights.ts';
import { grammarOf } from './highlight/language-name.ts';
import { paint } from './highlight/paint.ts';
import { safeText } from './safe-text.ts';
import './code.css';

export interface CodeProps {
  readonly text: string;
  /** A language name or file extension; plain when unknown. */
  readonly language?: string | undefined;
}

/** Pieces are highlighted separately and only when visible. */
const PIECE_LINES = 60;
const PIECE_LENGTH = 8000;

/** Code that is highlighted in a worker and plain until then. */
export function Code({ text, language }: CodeProps) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <code className="font-mono text-sm">
      {pieces.map((piece, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- code only grows, or is replaced
        <CodePiece key={at} text={piece} language={language} after={pieces[at - 1] ?? ''} />
      ))}
    </code>
  );
}

/** One piece as a single text node, which may grow. */
export const CodePiece = memo(function CodePiece({
  text,
  language,
  after,
}: CodeProps & { readonly after: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const shown = useMemo(() => safeText(text), [text]);
  useHighlights(element, shown, grammarOf(language), after);
  return <span ref={element}>{shown}</span>;
});

function useHighlights(
  element: React.RefObject<HTMLElement | null>,
  text: string,
  grammar: string | undefined,
  after: string,
): void {
  const takeOff = useRef<() => void>(undefined);
  const busy = useRef(false);
  const latest = useRef({ text, grammar, after });
  useEffect(() => {
    latest.current = { text, grammar, after };
    // The running request continues until the current text is highlighted.
    if (busy.current) return;
    const color = async (): Promise<void> => {
      const asked = latest.current;
      if (asked.grammar === undefined || asked.text.trim() === '') return;
      busy.current = true;
      const highlights = await requestHighlights({ ...asked, language: asked.grammar });
      busy.current = false;
      const node = element.current?.firstChild;
      if (!(node instanceof Text)) return;
      // The text may have been replaced. If it has only grown, the highlights still apply.
      if (node.data.startsWith(asked.text)) {
        takeOff.current?.();
        takeOff.current = paint(node, highlights);
      }
      if (latest.current !== asked) await color();
    };
    void color();
  }, [element, text, grammar, after]);
  useEffect(() => () => takeOff.current?.(), []);
}

/** Splits after line ends. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  let lines = 0;
  for (let at = 0; at < text.length; at += 1) {
    const lineEnd = text.charCodeAt(at) === 10;
    if (lineEnd) lines += 1;
    if ((lineEnd && lines >= PIECE_LINES) || at - from >= PIECE_LENGTH) {
      pieces.push(text.slice(from, at + 1));
      from = at + 1;
      lines = 0;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
}
