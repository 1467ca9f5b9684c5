import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

/** Debian's; another one can be named. */
const EXECUTABLE = process.env['CHATD_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

const FLAGS = [
  // Root has no other way; pages are ours.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Frames and timers of a page behind another are slowed down otherwise.
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** For one thing that is awaited, well within what a test has: it is then said what did not come. */
const PATIENCE_MS = process.env['CHATD_TEST_ALL'] === '1' ? 60_000 : 15_000;

let running: Promise<Browser> | undefined;

/** One browser for a test file. */
export function browser(): Promise<Browser> {
  if (running === undefined) {
    running = chromium.launch({ executablePath: EXECUTABLE, headless: true, args: FLAGS });
    afterAll(async () => (await running)?.close());
  }
  return running;
}

/** As another person, or on another machine: cookies and storage of its own. Ends with the test. */
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
