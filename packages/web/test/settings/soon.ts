/** How long a test polls; the same as for the page itself. */
export const SOON = { timeout: 15_000 };
