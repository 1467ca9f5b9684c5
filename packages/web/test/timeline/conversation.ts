import { answer, type FakeProvider, type Scripted, text } from '@chatd/testing';
import type { Locator, Page } from 'playwright-core';

/** Titles are requested at any time and must not consume scripted answers. */
export function script(provider: FakeProvider): { answers: Scripted[] } {
  const answers: Scripted[] = [];
  provider.answerWith(({ body }) => {
    if (JSON.stringify(body['system'] ?? '').includes('You name conversations')) {
      return answer([text('A title')]);
    }
    return answers.shift() ?? answer([text('I have nothing more to say.')]);
  });
  return { answers };
}

export const timeline = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });

/** Types and sends like a user. */
export async function send(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}

/** The position of an element on the screen. */
export async function topOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('the element is not visible');
  return box.y;
}

/** Waits until the timeline is stable for some frames. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const scroller = document.querySelector('[data-timeline]');
    for (let same = 0, before = ''; same < 6;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = `${scroller?.scrollTop} ${scroller?.scrollHeight} ${scroller?.clientHeight}`;
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });
}
