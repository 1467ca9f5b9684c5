import { type Clock, sleep } from '@chatd/loop';
import { encodePng } from './picture/png.ts';
import { scaled, type Size } from './picture/scale.ts';
import type { Rect } from './rfb/framebuffer.ts';
import type { RfbClient } from './rfb/rfb-client.ts';
import { keysymOf } from './keysyms.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Button = 'left' | 'middle' | 'right' | 'back' | 'forward';
export type Direction = 'up' | 'down' | 'left' | 'right';

/** RFB has a bit for each of eight buttons. Wheel buttons scroll by one notch. */
const BUTTONS: Record<Button, number> = { left: 1, middle: 2, right: 4, back: 128, forward: 0 };
const WHEEL: Record<Direction, number> = { up: 8, down: 16, left: 32, right: 64 };

/** Programs need a moment between a movement and a click. */
const STEP_MS = 20;
const DRAG_STEPS = 12;
/** Programs look up newly mapped keys only when they receive them. */
const CHARACTER_MS = 8;

const REACTION_MS = 120;
const QUIET_MS = 250;
const MAX_SETTLE_MS = 3000;

/** The screen, pointer and keyboard of a desktop, in its own pixels. */
export class Screen {
  readonly #client: RfbClient;
  readonly #clock: Clock;
  #at: Point = { x: 0, y: 0 };
  #buttons = 0;

  constructor(client: RfbClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  get isGone(): boolean {
    return this.#client.isBroken;
  }

  get size(): Size {
    const { width, height } = this.#client.screen;
    return { width, height };
  }

  /** The last position set by the agent. A person may have moved the pointer since. */
  get pointer(): Point {
    return this.#at;
  }

  async moveTo(point: Point): Promise<void> {
    this.#at = this.#within(point);
    this.#point();
    await this.#pause(STEP_MS);
  }

  async press(button: Button, down: boolean): Promise<void> {
    this.#buttons = down ? this.#buttons | BUTTONS[button] : this.#buttons & ~BUTTONS[button];
    this.#point();
    await this.#pause(STEP_MS);
  }

  async click(button: Button, times = 1): Promise<void> {
    for (let count = 0; count < times; count++) {
      await this.press(button, true);
      await this.press(button, false);
    }
  }

  async drag(path: readonly Point[]): Promise<void> {
    const [first, ...rest] = path;
    if (first !== undefined) await this.moveTo(first);
    await this.press('left', true);
    try {
      for (const point of rest) await this.#glide(point);
    } finally {
      await this.press('left', false);
    }
  }

  async scroll(direction: Direction, notches: number): Promise<void> {
    for (let count = 0; count < notches; count++) {
      this.#client.pointer(this.#at.x, this.#at.y, this.#buttons | WHEEL[direction]);
      this.#point();
      await this.#pause(CHARACTER_MS);
    }
  }

  async type(text: string, signal: AbortSignal): Promise<void> {
    for (const character of text.replaceAll('\r\n', '\n')) {
      signal.throwIfAborted();
      const keysym = keysymOf(character);
      this.#client.key(keysym, true);
      this.#client.key(keysym, false);
      await this.#pause(CHARACTER_MS);
    }
  }

  /** Holds the keys during the action, and releases them even if it fails. */
  async holding(keysyms: readonly number[], act: () => Promise<void>): Promise<void> {
    for (const keysym of keysyms) this.#client.key(keysym, true);
    try {
      await this.#pause(STEP_MS);
      await act();
    } finally {
      for (const keysym of keysyms.toReversed()) this.#client.key(keysym, false);
    }
  }

  /** Waits for the first reaction of the screen, then until it stops changing. */
  async settle(signal: AbortSignal): Promise<void> {
    const until = this.#clock.now() + MAX_SETTLE_MS;
    this.#client.follow(true);
    try {
      await sleep(this.#clock, REACTION_MS, signal);
      for (let seen = -1; seen !== this.#client.updates && this.#clock.now() < until;) {
        seen = this.#client.updates;
        await sleep(this.#clock, QUIET_MS, signal);
      }
    } finally {
      this.#client.follow(false);
    }
  }

  async picture(to: Size, part?: Rect): Promise<Buffer> {
    await this.#client.refresh();
    const { screen } = this.#client;
    return await encodePng(scaled(screen, part ?? { x: 0, y: 0, ...this.size }, to));
  }

  async #glide(to: Point): Promise<void> {
    const from = this.#at;
    for (let step = 1; step <= DRAG_STEPS; step++) {
      const part = step / DRAG_STEPS;
      const x = Math.round(from.x + (to.x - from.x) * part);
      const y = Math.round(from.y + (to.y - from.y) * part);
      await this.moveTo({ x, y });
    }
  }

  #within({ x, y }: Point): Point {
    const { width, height } = this.size;
    return { x: clamp(x, width), y: clamp(y, height) };
  }

  #point(): void {
    this.#client.pointer(this.#at.x, this.#at.y, this.#buttons);
  }

  #pause(ms: number): Promise<void> {
    return sleep(this.#clock, ms);
  }
}

const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, Math.round(value)));
