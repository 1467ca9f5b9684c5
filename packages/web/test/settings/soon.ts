/** How long a test waits for what must become true; as long as for the page itself. */
export const SOON = { timeout: 15_000 };
