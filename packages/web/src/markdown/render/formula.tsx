import { useEffect, useRef, useState } from 'react';
import { safeText } from '../safe-text.ts';

/** Longer ones are shown as they were written. */
const LONGEST = 2000;

/**
 * A formula, set as MathML: browsers draw it by themselves, without fonts and styles of ours, and screen readers can read it.
 * KaTeX is loaded with the first one; it builds nodes, never HTML. Nothing is trusted: no links, no images, no classes, and
 * macros that grow without end are stopped.
 */
export function Formula({
  tex,
  source,
  block = false,
}: {
  readonly tex: string;
  /** The mark before it: it is shown with it until it is set, and if it cannot be. */
  readonly source: string;
  readonly block?: boolean;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [set, setSet] = useState(false);
  useEffect(() => {
    let current = true;
    if (tex.length > LONGEST) return;
    const typeset = async (): Promise<void> => {
      const { default: katex } = await import('katex');
      const element = place.current;
      if (!current || element === null) return;
      try {
        katex.render(tex, element, {
          displayMode: block || source === '$$' || source === '\\[',
          output: 'mathml',
          trust: false,
          strict: 'ignore',
          maxExpand: 200,
          maxSize: 20,
          throwOnError: true,
        });
        setSet(true);
      } catch {
        setSet(false);
      }
    };
    void typeset();
    return () => {
      current = false;
    };
  }, [tex, block, source]);
  return (
    <span className={block ? 'md-formula-block' : 'md-formula'}>
      <span ref={place} hidden={!set} />
      {!set && <code>{safeText(tex)}</code>}
    </span>
  );
}
