import type { Page } from 'playwright-core';

/** Reloads the page, and counts the clicks of the user from then on. */
export async function clicksOn(page: Page): Promise<() => Promise<number>> {
  const key = 'clicks of the user';
  await page.addInitScript((name) => {
    addEventListener(
      'pointerdown',
      () => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name)) + 1)),
      { capture: true },
    );
  }, key);
  await page.reload();
  return () => page.evaluate((name) => Number(sessionStorage.getItem(name)), key);
}
