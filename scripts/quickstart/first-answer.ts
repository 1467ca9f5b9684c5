import { chromium } from 'playwright-core';

const FLAGS = [
  // Chromium requires this flag as root. The page is trusted.
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens the link in a browser, sends a message and waits for the answer. */
export async function firstAnswer(signInUrl: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHATD_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: FLAGS,
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(signInUrl);
    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.keyboard.press('Enter');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('I am the demo model').waitFor();
  } finally {
    await browser.close();
  }
}
