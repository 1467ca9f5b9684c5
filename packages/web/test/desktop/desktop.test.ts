import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Framebuffer } from '../../../server/src/desktop/rfb/framebuffer.ts';
import {
  BISQUE,
  decideAs,
  ECHOING,
  findTerminal,
  hasDesktops,
  readLine,
  type ScriptedAgent,
  terminal,
} from '@chatd/test-server/desktop';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { hasFocus } from '../composer/pages.ts';
import { newContext } from '../support/browser.ts';
import { openSite, type Person, type Site } from '../support/site.ts';

const LONG = { timeout: 60_000, interval: 100 };

/** The pixels drawn by noVNC. */
async function drawn(page: Page): Promise<Framebuffer> {
  const { width, height, pixels } = await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[role="application"] canvas');
    const image = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    if (image === undefined) return { width: 1, height: 1, pixels: '' };
    let text = '';
    for (let at = 0; at < image.data.length; at += 4096) {
      text += String.fromCharCode(...image.data.subarray(at, at + 4096));
    }
    return { width: image.width, height: image.height, pixels: btoa(text) };
  });
  const screen = new Framebuffer(width, height);
  Buffer.from(pixels, 'base64').copy(screen.pixels);
  return cleaned(screen);
}

/** JPEG changes colors slightly. */
const TOLERANCE = 24;

/** Snaps to the color of the terminal where it is close. */
function cleaned(screen: Framebuffer): Framebuffer {
  const { pixels } = screen;
  for (let at = 0; at < pixels.length; at += 4) {
    const isClose = BISQUE.rgb.every(
      (value, channel) => Math.abs(value - (pixels[at + channel] ?? 0)) <= TOLERANCE,
    );
    if (isClose) pixels.set(BISQUE.rgb, at);
  }
  return screen;
}

/** `hsetroot` in `launch-display.ts`. */
const BACKGROUND = [0x23, 0x34, 0x54];

const typedIn = async (page: Page) =>
  readLine(await drawn(page), BISQUE, 1)
    .replaceAll('\u25a1', '')
    .trimEnd();

const desktop = (page: Page) => page.getByRole('application', { name: /^Desktop/ });
const says = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();

const waiting = ({ api }: Person, chat_id: string) =>
  vi.waitFor(async () => {
    expect((await api.ok('getChat', { params: { chat_id } })).status).toBe('waiting');
  }, LONG);

describe.skipIf(!hasDesktops)('the desktop in the web UI', () => {
  let site: Site;
  const agents: ScriptedAgent[] = [
    {
      task: 'Open a terminal',
      decide: (step) =>
        step === 0
          ? {
              tool: 'execute',
              command: terminal(BISQUE, '80x10+60+60', ECHOING),
              run_in_background: true,
            }
          : 'Open.',
    },
    {
      task: 'Look at it with somebody',
      decide(step) {
        if (step === 0) return { tool: 'spawn_computer_use_agent', prompt: 'Type something' };
        return step === 1 ? { tool: 'wait_agent' } : 'It was looked at.';
      },
    },
    {
      task: 'Type something',
      decide(step, { screen }) {
        if (step === 0) return { action: 'type', text: ' and the agent' };
        const read = screen === undefined ? '' : readLine(screen, BISQUE, 1);
        // A terminal on a busy machine echoes late, so this polls.
        return read.includes('agent') ? `It reads: ${read}` : { action: 'screenshot' };
      },
    },
  ];

  beforeAll(async () => {
    const directory = await makeTemporaryDirectory();
    afterAll(() => rm(directory, { recursive: true, force: true }));
    const dataDir = join(directory, 'data');
    await mkdir(dataDir);
    site = await openSite({
      dataDir,
      workspaces: { enabled: true, templatesDir: undefined, idleMs: 0, allowUnsandboxed: false },
    });
    site.provider.answerWith(decideAs(agents));
    await site.server.admin.ok('createTemplate', {
      body: { name: 'desk', driver: 'host', desktop: { width: 1000, height: 600 } },
    });
  });

  /** A user with a chat whose workspace has a desktop with a terminal. */
  async function desktopUser(): Promise<Person & { chatId: string; workspaceId: string }> {
    const person = await site.visit('/');
    const { templates } = await person.api.ok('listTemplates');
    const template_id = templates.find(({ name }) => name === 'desk')?.id;
    const workspace = await person.api.ok('createWorkspace', { body: { template_id } });
    const params = { workspace_id: workspace.id };
    await vi.waitFor(async () => {
      expect((await person.api.ok('getWorkspace', { params })).status).toBe('ready');
    }, LONG);
    const { id } = await person.api.ok('createChat', {
      body: { content: 'Open a terminal', workspace_id: workspace.id },
    });
    await waiting(person, id);
    return { ...person, chatId: id, workspaceId: workspace.id };
  }

  /** The same user in another browser. */
  async function elsewhere(page: Page, path: string): Promise<Page> {
    const context = await newContext({ storageState: await page.context().storageState() });
    const other = await context.newPage();
    const errors: string[] = [];
    other.on('pageerror', (error) => errors.push(String(error)));
    onTestFinished(() => expect(errors).toEqual([]));
    await other.goto(`${site.url}${path}`);
    return other;
  }

  test(
    'two browsers watch, one takes control, and the agent waits until it is released',
    { timeout: 150_000 },
    async () => {
      const person = await desktopUser();
      const { page, api, chatId, workspaceId } = person;
      await page.goto(`${site.url}/chats/${chatId}`);
      await hasFocus(page.getByRole('textbox', { name: 'Message' }));
      await page.keyboard.press('ControlOrMeta+.');
      await page.getByRole('tab', { name: 'Desktop' }).click();
      const other = await elsewhere(page, `/chats/${chatId}/desktop`);
      await Promise.all([desktop(page).waitFor(), desktop(other).waitFor()]);
      await says(page, 'The agent has control. 2 viewers.');
      await vi.waitFor(async () => {
        expect(findTerminal(await drawn(page), BISQUE)).toBeDefined();
        expect(findTerminal(await drawn(other), BISQUE)).toBeDefined();
      }, LONG);

      // Viewers without control change nothing.
      await desktop(other).click();
      await other.keyboard.type('unheard');

      await page.getByRole('button', { name: 'Take control' }).click();
      await says(page, 'You have control.');
      await says(other, 'Another window has control.');
      await other.keyboard.type('unheard');
      await page.keyboard.type('a person');
      await vi.waitFor(async () => {
        expect(await typedIn(other)).toBe('a person');
        expect(await typedIn(page)).toBe('a person');
      }, LONG);

      const { id: parent } = await api.ok('createChat', {
        body: { content: 'Look at it with somebody', workspace_id: workspaceId },
      });
      await says(page, 'The agent is waiting.');
      await says(other, 'The agent is waiting.');
      expect(await typedIn(page)).toBe('a person');

      await page.getByRole('button', { name: 'Release control' }).click();
      await says(page, 'The agent has control.');
      await waiting(person, parent);
      await vi.waitFor(
        async () => expect(await typedIn(other)).toBe('a person and the agent'),
        LONG,
      );
      const { messages } = await api.ok('listMessages', { params: { chat_id: parent } });
      expect(JSON.stringify(messages)).toContain('It reads: a person and the agent');
    },
  );

  test(
    'the desktop can be zoomed, left by keyboard, and opened in a new window',
    { timeout: 90_000 },
    async () => {
      const { page, chatId } = await desktopUser();
      await page.goto(`${site.url}/chats/${chatId}`);
      await hasFocus(page.getByRole('textbox', { name: 'Message' }));
      await page.keyboard.press('ControlOrMeta+.');
      await page.getByRole('tab', { name: 'Desktop' }).click();
      await desktop(page).waitFor();
      const canvas = page.locator('[role="application"] canvas');
      await vi.waitFor(async () => {
        const box = await canvas.boundingBox();
        const frame = await desktop(page).boundingBox();
        expect(box?.width).toBeLessThanOrEqual((frame?.width ?? 0) + 1);
        expect(box?.width).toBeGreaterThan(100);
      }, LONG);
      await page.getByRole('button', { name: 'Zoom to fit' }).click();
      await vi.waitFor(async () => expect((await canvas.boundingBox())?.width).toBe(1000), LONG);

      await page.getByRole('button', { name: 'Take control' }).click();
      await says(page, 'You have control.');
      await page.keyboard.press('Shift+Escape');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
        'Release control',
      );
      await page.keyboard.press('Enter');
      await says(page, 'The agent has control.');

      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('button', { name: 'Open in new window' }).click(),
      ]);
      await desktop(popup).waitFor();
      await says(popup, '2 viewers.');
      expect(await popup.getByRole('navigation').count()).toBe(0);
    },
  );

  test(
    'a right click on the background opens a menu that starts programs',
    { timeout: 90_000 },
    async () => {
      const { page, api, chatId, workspaceId } = await desktopUser();
      await page.goto(`${site.url}/chats/${chatId}/desktop`);
      await desktop(page).waitFor();
      await page.getByRole('button', { name: 'Take control' }).click();
      await says(page, 'You have control.');
      const [x, y] = [700, 350];
      const isBackground = async () => {
        const { pixels, width } = await drawn(page);
        const at = ((y + 12) * width + x + 12) * 4;
        return BACKGROUND.every(
          (value, channel) => Math.abs(value - (pixels[at + channel] ?? 0)) <= TOLERANCE,
        );
      };
      await vi.waitFor(async () => expect(await isBackground()).toBe(true), LONG);
      const canvas = page.locator('[role="application"] canvas');
      const box = await canvas.boundingBox();
      const scale = (box?.width ?? 0) / 1000;
      await canvas.click({ button: 'right', position: { x: x * scale, y: y * scale } });
      await vi.waitFor(async () => expect(await isBackground()).toBe(false), LONG);

      // The last entry is a terminal. It runs in the workspace.
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      const params = { workspace_id: workspaceId };
      await vi.waitFor(async () => {
        await page.keyboard.type('pwd >/workspace/where\n');
        const { entries } = await api.ok('listWorkspaceFiles', { params });
        expect(entries.map(({ name }) => name)).toContain('where');
      }, LONG);
    },
  );

  test(
    'without a desktop the reason is shown and one can be started',
    { timeout: 90_000 },
    async () => {
      const person = await site.visit('/');
      const { templates } = await person.api.ok('listTemplates');
      const template_id = templates.find(({ name }) => name === 'empty')?.id;
      const { id } = await person.api.ok('createWorkspace', { body: { template_id } });
      const chat = await person.api.ok('createChat', {
        body: { content: 'Nothing', workspace_id: id },
      });
      await person.page.goto(`${site.url}/chats/${chat.id}/desktop`);
      await person.page.getByText('Agents start one when they need it').waitFor();
      await person.page.getByRole('button', { name: 'Start desktop' }).click();
      const problem = person.page.getByText('The desktop could not be started').locator('..');
      await desktop(person.page).or(problem).waitFor(LONG);
      expect(await problem.allInnerTexts()).toEqual([]);
      await vi.waitFor(async () => expect((await drawn(person.page)).width).toBe(1920), LONG);
      // A background, and a darker panel at the bottom with the time.
      await vi.waitFor(async () => {
        const { pixels, width, height } = await drawn(person.page);
        const brightness = (x: number, y: number) =>
          [0, 1, 2].reduce((sum, channel) => sum + (pixels[(y * width + x) * 4 + channel] ?? 0), 0);
        expect(brightness(900, 500)).toBeGreaterThan(90);
        expect(brightness(900, height - 4)).toBeLessThan(90);
      }, LONG);
    },
  );
});
