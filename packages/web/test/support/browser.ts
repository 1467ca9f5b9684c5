import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

/** Debian's path by default. */
const EXECUTABLE = process.env['CHATD_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

const FLAGS = [
  // Required for root; the pages are trusted.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Otherwise background pages are throttled.
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** Shorter than the test timeout, so that the error names what is missing. */
const PATIENCE_MS = process.env['CHATD_TEST_ALL'] === '1' ? 60_000 : 15_000;

let running: Promise<Browser> | undefined;

/** One browser per test file. */
export function browser(): Promise<Browser> {
  if (running === undefined) {
    running = chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
    afterAll(async () => (await running)?.close());
  }
  return running;
}

/** A separate context with its own cookies and storage. Closed with the test. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (
    await browser()
  ).newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  onTestFinished(() => context.close());
  return context;
}
