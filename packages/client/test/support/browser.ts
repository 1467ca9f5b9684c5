import type { LaunchOptions } from 'playwright-core';

/** Debian's Chromium, as it runs also for root and without the network. */
export const BROWSER: LaunchOptions = {
  executablePath: process.env['CHATD_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
