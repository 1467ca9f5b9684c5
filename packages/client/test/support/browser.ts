import type { LaunchOptions } from 'playwright-core';

/** Debian's Chromium, with flags to run as root and without a network. */
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
