/*
 * `npm run bench:web` (`-- --messages 10,5000`): measures the web UI in Chromium for a short and a long chat. Asserts
 * nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, gate, text } from '@chatd/testing';
import { chromium, type Page } from 'playwright-core';
import { firstLoadBytes } from '../../packages/web/build/first-load.ts';
import { conclude } from '../report/conclude.ts';
import { quantile } from '../report/statistics.ts';
import { type WebData, webReport, type WebRow } from '../report/web.ts';
import { openBenchSite } from './site.ts';
import { trace, type Traced } from './trace.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10,5000' },
    keep: { type: 'boolean', default: false },
  },
});
/** Browser globals of the functions that run in the page. */
interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly textContent: string;
  click(): void;
}
interface Inside {
  readonly document: { querySelector(selector: string): Scroller | null };
  readonly requestAnimationFrame: (run: () => void) => void;
  known?: { readonly height: number; readonly since: number };
}

const SLOWDOWN = 4;
const DELTAS_A_SECOND = 200;
const STREAMED_DELTAS = 1600;
const COUNTED_DELTAS = 300;
/** With the slowdown, the page shows the end of an answer shortly after the commit. */
const SETTLING_MS = 3000;

const site = await openBenchSite();
const browser = await chromium.launch({
  executablePath: process.env['CHATD_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
await page.goto(await site.signInLink());
await page.getByRole('textbox', { name: 'Message' }).waitFor();
const session = await context.newCDPSession(page);

const timeline = (on: Page) => on.getByRole('log', { name: 'Messages' });

/** Time from the click until the last message is painted. */
async function open(chatId: string, last: string): Promise<number> {
  await page.goto(`${site.url}/`);
  const link = page.locator(`a[href="/chats/${chatId}"]`).first();
  await link.waitFor();
  return await page.evaluate(
    async ([id, words]) => {
      const { document, requestAnimationFrame } = globalThis as unknown as Inside;
      const frame = () => new Promise<void>((resolve) => requestAnimationFrame(resolve));
      const seen = () => document.querySelector('[data-timeline]')?.textContent.includes(words);
      const start = performance.now();
      document.querySelector(`a[href="/chats/${id}"]`)?.click();
      while (seen() !== true) await frame();
      await frame();
      return performance.now() - start;
    },
    [chatId, last] as const,
  );
}

/** Scrolls at 150 pixels per frame. */
async function scroll(): Promise<Traced> {
  return await trace(session, () =>
    page.evaluate(async () => {
      const { document, requestAnimationFrame } = globalThis as unknown as Inside;
      const scroller = document.querySelector('[data-timeline]');
      if (scroller === null) throw new Error('no chat is open');
      for (let frames = 0; frames < 400; frames += 1) {
        scroller.scrollTop -= 150;
        await new Promise<void>((resolve) => requestAnimationFrame(resolve));
      }
    }),
  );
}

/** Waits until all messages are loaded: the height has not changed for 3 s. */
const filled = () =>
  page.waitForFunction(
    () => {
      const inside = globalThis as unknown as Inside;
      const height = inside.document.querySelector('[data-timeline]')?.scrollHeight ?? 0;
      const { known } = inside;
      if (known?.height === height) return performance.now() - known.since > 3000;
      inside.known = { height, since: performance.now() };
      return false;
    },
    undefined,
    { timeout: 300_000, polling: 250 },
  );

const toEnd = () =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as Inside;
    const scroller = document.querySelector('[data-timeline]');
    if (scroller !== null) scroller.scrollTop = scroller.scrollHeight;
  });

const SENTENCE = ['Some ', '**words** ', 'of ', 'an ', 'answer ', 'with ', '`code`', '. '];
const prose = (deltas: number): string[] =>
  Array.from({ length: deltas }, (_, at) =>
    at % 80 === 79 ? '\n\n' : (SENTENCE[at % SENTENCE.length] ?? ''),
  );

async function stream(chatId: string): Promise<Traced> {
  const begin = gate();
  const pieces = prose(STREAMED_DELTAS);
  site.answers.push(
    answer([text(['Now: ', begin, ...pieces, ' THE END'])], { paceMs: 1000 / DELTAS_A_SECOND }),
  );
  await site.say(chatId, 'Go on');
  await timeline(page).getByText('Now:').last().waitFor();
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  const traced = await trace(session, async () => {
    begin.release();
    // Do not query the page meanwhile: that would be part of the measurement.
    await site.finished(chatId);
    await sleep(SETTLING_MS);
  });
  await timeline(page).getByText('THE END').last().waitFor({ timeout: 120_000 });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return traced;
}

/** Script time per delta at the start of an answer, and after 600 KB. */
async function deltaCost(chatId: string): Promise<{ early: number; late: number }> {
  const gates = [gate(), gate(), gate(), gate()] as const;
  const part = prose(COUNTED_DELTAS);
  const filler = Array.from({ length: 60 }, () => `${'Filling words. '.repeat(60)}\n\n`.repeat(11));
  const sequence = [
    'Start',
    gates[0],
    ...part,
    ' A',
    gates[1],
    ...filler,
    ' B',
    gates[2],
    ...part,
    ' C',
    gates[3],
    '.',
  ];
  site.answers.push(answer([text(sequence)], { paceMs: 10 }));
  await site.say(chatId, 'A long one');
  await gates[0].reached;
  const early = await trace(session, async () => {
    gates[0].release();
    await gates[1].reached;
  });
  gates[1].release();
  await gates[2].reached;
  await page.waitForTimeout(2000);
  const late = await trace(session, async () => {
    gates[2].release();
    await gates[3].reached;
  });
  gates[3].release();
  return { early: early.scriptMs / COUNTED_DELTAS, late: late.scriptMs / COUNTED_DELTAS };
}

const rows: WebRow[] = [];
try {
  for (const messages of values.messages.split(',').map(Number)) {
    const say = (words: string) => process.stderr.write(`${messages} messages: ${words} …\n`);
    const chatId = await site.storeChat(messages);
    const last = messages % 2 === 0 ? `Answer ${messages - 1}.` : `Question ${messages - 1}`;
    say('opening');
    const firstOpenMs = await open(chatId, last);
    const openAgainMs = await open(chatId, last);
    say('loading all messages');
    await filled();
    say('scrolling');
    const { scriptMsByFrame: frames } = await scroll();
    await toEnd();
    say('streaming');
    const { longestTaskMs, longTasks } = await stream(chatId);
    say('streaming a long answer');
    const cost = await deltaCost(chatId);
    rows.push({
      messages,
      firstOpenMs,
      openAgainMs,
      frameP50Ms: quantile(frames, 0.5),
      frameP95Ms: quantile(frames, 0.95),
      frameMaxMs: frames.at(-1) ?? 0,
      longestTaskMs,
      longTasks,
      earlyDeltaMs: cost.early,
      lateDeltaMs: cost.late,
    });
  }
  const data: WebData = {
    rows,
    slowdown: SLOWDOWN,
    deltasASecond: DELTAS_A_SECOND,
    firstLoadKb: firstLoadBytes(site.webFolder) / 1000,
  };
  await conclude(webReport, { data, versions: { Chromium: browser.version() } }, values);
} finally {
  await browser.close();
  await site.close();
}
