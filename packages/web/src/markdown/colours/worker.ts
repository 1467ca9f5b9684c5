/// <reference lib="webworker" />
import { coloursOf } from './colours-of.ts';
import type { ColourAnswer, ColourRequest } from './tokens.ts';

/** Off the main thread, so that slow grammars do not block the page, which terminates the worker after a timeout. */
addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const { id } = data;
  void coloursOf(data)
    .catch((): number[] => [])
    .then((colours) => postMessage({ id, colours } satisfies ColourAnswer));
});
