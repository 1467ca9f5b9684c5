const PAUSE_MS = 300;

/** After a pause, and then when the page has nothing to do. Safari has no idle callbacks. */
export function whenIdle(run: () => void): void {
  setTimeout(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: 2000 });
    else run();
  }, PAUSE_MS);
}
