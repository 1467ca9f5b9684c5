/** Resolves when the signal is aborted. `release` removes the listener. */
export function whenAborted(signal: AbortSignal): {
  readonly promise: Promise<'aborted'>;
  readonly release: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<'aborted'>();
  const abort = () => resolve('aborted');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return { promise, release: () => signal.removeEventListener('abort', abort) };
}
