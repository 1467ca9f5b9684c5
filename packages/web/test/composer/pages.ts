import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';

export const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const queue = (page: Page) => page.getByRole('region', { name: 'Queue' });
export const chatIdOf = (page: Page) => new URL(page.url()).pathname.slice('/chats/'.length);

/** Sends the first message of a new chat and waits for its page. */
export async function begin(page: Page, words: string): Promise<string> {
  await box(page).fill(words);
  await box(page).press('Enter');
  await page.waitForURL(/\/chats\/[\w-]{36}$/);
  return chatIdOf(page);
}

export async function say(page: Page, words: string): Promise<void> {
  await box(page).fill(words);
  await box(page).press('Enter');
}

/** Waits for the model's answer to this text. */
export const answered = (page: Page, words: string) =>
  page.getByText(`I heard: ${words}`).first().waitFor();

/** Waits until the field has the focus. The composer takes it when the page is ready. */
export const hasFocus = (field: Locator) =>
  eventually(async () =>
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true),
  );

interface GivenFile {
  readonly name: string;
  readonly type?: string;
  /** A text, or a number of zero bytes. */
  readonly content: string | number;
}

/** Drops files onto the page, or pastes them into the text. */
export async function give(
  page: Page,
  how: 'drop' | 'paste',
  files: readonly GivenFile[],
  text = '',
): Promise<void> {
  await box(page).evaluate(
    (field, { how, files, text }) => {
      const data = new DataTransfer();
      for (const { name, type = '', content } of files) {
        const bytes = typeof content === 'number' ? new Uint8Array(content) : content;
        data.items.add(new File([bytes], name, { type }));
      }
      if (text !== '') data.setData('text/plain', text);
      const event = { bubbles: true, cancelable: true };
      if (how === 'drop') dispatchEvent(new DragEvent('drop', { dataTransfer: data, ...event }));
      else field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, ...event }));
    },
    { how, files, text },
  );
}
