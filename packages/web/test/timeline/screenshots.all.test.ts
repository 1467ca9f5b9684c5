import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { settled, timeline } from './conversation.ts';
import { richChat } from './rich-chat.ts';
import { storeChat } from './stored-chat.ts';

/** `CHATD_SCREENSHOTS=1 npm run vitest -- --project web screenshots` with CHATD_TEST_ALL=1 makes those of the docs again. */
const folder =
  process.env['CHATD_SCREENSHOTS'] === '1'
    ? join(import.meta.dirname, '../../../../docs/images')
    : join(tmpdir(), 'chatd-screenshots');
await mkdir(folder, { recursive: true });

const site = await openSite();

const screens = [
  { name: 'desktop', viewport: { width: 1440, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
  { name: 'narrow', viewport: { width: 320, height: 640 } },
  { name: '4k', viewport: { width: 3840, height: 2160 } },
].flatMap((screen) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme })),
);

test.each(screens)('a chat on $name, $colorScheme', async ({ name, viewport, colorScheme }) => {
  const { page, api } = await site.visit('/', { viewport, colorScheme });
  const id = await storeChat(
    site.server.store,
    api,
    site.modelConfigId,
    richChat(),
    'Fix the rate limiter',
  );
  await page.goto(`${site.url}/chats/${id}`);
  await timeline(page).getByText('Done: the replicas').waitFor();
  await settled(page);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('body, [data-timeline]')].some(
      (e) => e.scrollWidth > e.clientWidth,
    ),
  );
  expect(wide).toBe(false);
  expect(await seriousIssues(page)).toEqual([]);
  if (name === 'desktop' || name === 'phone') {
    await page.screenshot({ path: join(folder, `chat-${name}-${colorScheme}.png`) });
  }
  await timeline(page).evaluate((e) => e.scrollTo({ top: 0 }));
  await settled(page);
  if (name === 'desktop') {
    await page.screenshot({ path: join(folder, `chat-answer-${colorScheme}.png`) });
  }
  expect(await seriousIssues(page)).toEqual([]);
});
