/// <reference lib="webworker" />
import { coloursOf } from './colours-of.ts';
import type { ColourAnswer, ColourRequest } from './tokens.ts';

/** Code is coloured here, away from the page: a grammar that takes long keeps nobody waiting, and is ended by who asked. */
addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const { id } = data;
  void coloursOf(data)
    .catch((): number[] => [])
    .then((colours) => postMessage({ id, colours } satisfies ColourAnswer));
});
