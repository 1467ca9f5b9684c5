import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import {
  codeToTokensBase,
  createShikiPrimitiveAsync,
  getLastGrammarState,
} from '@shikijs/primitive';
import { grammars } from './grammars.ts';
import { tokenKindOf, theme } from './token-theme.ts';
import type { HighlightRequest } from './tokens.ts';

const shiki = createShikiPrimitiveAsync({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** Tokenizes code. Only for the worker, because a grammar may be slow. */
export async function tokenize({
  language,
  text,
  after,
}: Omit<HighlightRequest, 'id'>): Promise<number[]> {
  const load = grammars[language];
  if (load === undefined) return [];
  const highlighter = await shiki;
  if (!highlighter.getLoadedLanguages().includes(language)) {
    await highlighter.loadLanguage(load);
  }
  const options = {
    lang: language,
    theme: theme.name,
    tokenizeMaxLineLength: 2000,
    // A time limit per line would break the highlighting after it. The page terminates the worker instead.
    tokenizeTimeLimit: 0,
  };
  const grammarState =
    after === ''
      ? undefined
      : getLastGrammarState(highlighter, codeToTokensBase(highlighter, after, options));
  const lines = codeToTokensBase(highlighter, text, {
    ...options,
    ...(grammarState !== undefined && { grammarState }),
  });
  const highlights: number[] = [];
  for (const line of lines) {
    for (const { offset, content, color } of line) {
      const kind = tokenKindOf(color);
      if (kind !== -1 && content.trim() !== '')
        highlights.push(offset, offset + content.length, kind);
    }
  }
  return highlights;
}
