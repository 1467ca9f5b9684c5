import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seriousIssues } from '../support/axe.ts';
import { openSite } from '../support/site.ts';
import { settled, timeline } from './conversation.ts';
import { richChat } from './rich-chat.ts';
import { storeChat } from './stored-chat.ts';

/**
 * To update those of the docs, run `CHATD_TEST_ALL=1 CHATD_SCREENSHOTS=1 npm run vitest -- --project web run
 * screenshots`.
 */
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

test.each(screens)(
  'a chat on $name, $colorScheme',
  { timeout: 120_000 },
  async ({ name, viewport, colorScheme }) => {
    const { page, api } = await site.visit('/', { viewport, colorScheme });
    const { store } = site.server;
    const title = 'Fix the rate limiter';
    const id = await storeChat(store, api, site.modelConfigId, richChat(), title);
    await page.goto(`${site.url}/chats/${id}`);
    await timeline(page).getByText('Done: the replicas').waitFor();
    await settled(page);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('body, [data-timeline]')].some(
        (element) => element.scrollWidth > element.clientWidth,
      ),
    );
    expect(wide).toBe(false);
    const keep = name === 'desktop' || name === 'phone';
    if (keep) await page.screenshot({ path: join(folder, `chat-${name}-${colorScheme}.png`) });
    expect(await seriousIssues(page)).toEqual([]);
    await timeline(page).evaluate((element) => element.scrollTo({ top: 0 }));
    // Highlights come from a worker.
    await page.waitForFunction(() => (CSS.highlights.get('code-keyword')?.size ?? 0) > 0);
    await settled(page);
    if (keep)
      await page.screenshot({ path: join(folder, `chat-answer-${name}-${colorScheme}.png`) });
  },
);

const PAGES = [
  { page: 'first-page', path: '/', heading: /what should we work on/i },
  { page: 'settings', path: '/settings/providers', heading: 'Providers' },
] as const;

test.each(screens.flatMap((screen) => PAGES.map((page) => ({ ...screen, ...page }))))(
  '$page on $name, $colorScheme',
  { timeout: 120_000 },
  async ({ name, viewport, colorScheme, page: what, path, heading }) => {
    const { page } = await site.visit(path, { viewport, colorScheme, role: 'admin' });
    await page.getByRole('heading', { name: heading }).first().waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    if (name === 'desktop' || name === 'phone') {
      await page.screenshot({ path: join(folder, `${what}-${name}-${colorScheme}.png`) });
    }
  },
);
