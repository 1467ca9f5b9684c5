/// <reference lib="webworker" />
import { tokenize } from './tokenize.ts';
import type { HighlightResponse, HighlightRequest } from './tokens.ts';

/** Off the main thread, so that slow grammars do not block the page, which terminates the worker after a timeout. */
addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id } = data;
  void tokenize(data)
    .catch((): number[] => [])
    .then((highlights) => postMessage({ id, highlights } satisfies HighlightResponse));
});
