import { useEffect, useRef, useState } from 'react';
import { safeText } from '../safe-text.ts';

/** Longer formulas are shown as source. */
const LONGEST = 2000;

/**
 * Renders a formula as MathML, which browsers display without extra fonts and styles and screen readers can read. KaTeX
 * is loaded with the first formula and builds nodes, never HTML. It runs untrusted: no links, images or classes, and
 * bounded macro expansion.
 */
export function Formula({
  tex,
  source,
  block = false,
}: {
  readonly tex: string;
  /** The opening mark, shown with the source until the formula is rendered or if it is invalid. */
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
