/// <reference lib="webworker" />
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import {
  codeToTokensBase,
  createShikiPrimitiveAsync,
  getLastGrammarState,
} from '@shikijs/primitive';
import { grammars } from './grammars.ts';
import { kindOf, theme } from './kinds-theme.ts';
import type { ColourAnswer, ColourRequest } from './tokens.ts';

/** Code is coloured here, away from the page: a grammar that takes long keeps nobody waiting, and is ended by who asked. */
const shiki = createShikiPrimitiveAsync({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

async function colour({ language, text, after }: ColourRequest): Promise<number[]> {
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
    // A line that is given up is coloured wrongly from there on. Who asked ends us when it takes too long.
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
  const colours: number[] = [];
  for (const line of lines) {
    for (const { offset, content, color } of line) {
      const kind = kindOf(color);
      if (kind !== -1 && content.trim() !== '') colours.push(offset, offset + content.length, kind);
    }
  }
  return colours;
}

addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const { id } = data;
  void colour(data)
    .catch((): number[] => [])
    .then((colours) => postMessage({ id, colours } satisfies ColourAnswer));
});
