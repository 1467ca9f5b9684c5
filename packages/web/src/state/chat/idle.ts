const PAUSE_MS = 300;

/** Runs after a delay, when the page is idle. Safari has no idle callbacks. */
export function whenIdle(run: () => void): void {
  setTimeout(() => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: 2000 });
    else run();
  }, PAUSE_MS);
}
