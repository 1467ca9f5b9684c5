import { answer, gate, text } from '@chatd/testing';
import { expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
import { seriousIssues } from '../support/axe.ts';
import { script, send, settled, timeline } from './conversation.ts';
import { hostileTexts } from './hostile-texts.ts';

const site = await openSite();
const { answers } = script(site.provider);

test('hostile model output runs no script, loads nothing, and breaks no layout', async () => {
  // The Content-Security-Policy of diagram frames blocks some of the content, and the browser reports it.
  const { page } = await site.visit('/', { hostile: true });
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(?:data|blob):/.test(request.url())) {
      elsewhere.push(request.url());
    }
  });
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.evaluate(() => {
    addEventListener('securitypolicyviolation', (event) => {
      // Without the DOM's event map the type is a plain event.
      const { violatedDirective } = event as SecurityPolicyViolationEvent;
      document.documentElement.dataset['violation'] = violatedDirective;
    });
  });

  const end = gate();
  const all = hostileTexts.join('\n\n');
  answers.push(answer([text(all, { chunks: 300 }), end, text('\n\nAFTER ALL OF IT')]));
  await send(page, 'Do your worst');
  await end.reached;
  // The page stays responsive meanwhile.
  expect(await page.evaluate(() => 1 + 1)).toBe(2);
  end.release();
  await timeline(page).getByText('AFTER ALL OF IT').waitFor();
  await settled(page);

  const overflow = () =>
    page.evaluate(() => {
      const scroller = document.querySelector('[data-timeline]');
      const wide = document.documentElement.scrollWidth > innerWidth;
      return wide || scroller === null || scroller.scrollWidth > scroller.clientWidth;
    });
  /** Scrolls from the end to the beginning and checks every screen. */
  const look = async () => {
    for (let screen = 0; screen < 400; screen += 1) {
      expect(await overflow()).toBe(false);
      const top = await timeline(page).evaluate((scroller) => {
        scroller.scrollTop -= scroller.clientHeight;
        return scroller.scrollTop;
      });
      if (top <= 0) return;
      // Skips most of the megabyte and checks what is around it.
      if (screen === 12)
        await timeline(page).evaluate((scroller) => scroller.scrollTo({ top: 9000 }));
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
  };
  await look();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));

  const found = await page.evaluate(() => {
    const log = document.querySelector('[data-timeline]');
    const attributes = [...(log?.querySelectorAll('*') ?? [])].flatMap((element) => [
      ...element.attributes,
    ]);
    return {
      owned: 'owned' in globalThis,
      forbidden: log?.querySelectorAll(
        'script, iframe:not([sandbox="allow-scripts"]), object, embed, form, img, video, audio, link, meta, base, style',
      ).length,
      handlers: attributes.filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
      links: attributes
        .filter(
          ({ name, value }) =>
            (name === 'href' || name === 'src') && !/^(?:https?|mailto):/.test(value),
        )
        .map(({ value }) => value),
      violation: document.documentElement.dataset['violation'],
    };
  });
  expect(found).toEqual({
    owned: false,
    forbidden: 0,
    handlers: [],
    links: [],
    violation: undefined,
  });
  expect(dialogs).toEqual([]);
  expect(elsewhere).toEqual([]);

  await page.setViewportSize({ width: 320, height: 640 });
  await settled(page);
  expect(await overflow()).toBe(false);
  expect(await seriousIssues(page)).toEqual([]);
  // The composer still works.
  await page.getByRole('textbox', { name: 'Message' }).fill('Still here');
}, 120_000);
