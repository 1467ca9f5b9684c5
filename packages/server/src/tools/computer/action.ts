import { z } from 'zod';
import type { Button, Direction, Point } from '../../desktop/screen.ts';

/** An action on a desktop. Coordinates are pixels of the screenshots that the model sees. */
export type ComputerAction =
  | { readonly type: 'screenshot' | 'cursor_position' }
  | { readonly type: 'wait'; readonly seconds: number }
  | { readonly type: 'zoom'; readonly region: readonly [number, number, number, number] }
  | { readonly type: 'move'; readonly to: Point; readonly keys: string }
  | {
      readonly type: 'click';
      /** Default: the position of the pointer. */
      readonly at: Point | undefined;
      readonly button: Button;
      readonly times: number;
      readonly keys: string;
    }
  | { readonly type: 'button'; readonly down: boolean; readonly at: Point | undefined }
  | { readonly type: 'drag'; readonly path: readonly Point[]; readonly keys: string }
  | {
      readonly type: 'scroll';
      readonly at: Point | undefined;
      readonly direction: Direction;
      readonly notches: number;
      readonly keys: string;
    }
  | { readonly type: 'type'; readonly text: string }
  | {
      readonly type: 'keys';
      readonly keys: string;
      readonly seconds: number;
      readonly times: number;
    };

const MAX_TEXT = 10_000;
const MAX_SECONDS = 60;
const MAX_NOTCHES = 100;
const MAX_ACTIONS = 50;

const Coordinate = z.tuple([z.number(), z.number()]);

/** The input format of Anthropic's models, and the default for models without their own format. */
export const ActionInput = z.object({
  action: z
    .enum([
      'screenshot',
      'zoom',
      'mouse_move',
      'left_click',
      'right_click',
      'middle_click',
      'double_click',
      'triple_click',
      'left_click_drag',
      'left_mouse_down',
      'left_mouse_up',
      'scroll',
      'type',
      'key',
      'hold_key',
      'wait',
      'cursor_position',
    ])
    .describe('The action'),
  coordinate: Coordinate.optional().describe(
    '[x, y] in screenshot pixels: target of a click, scroll or move, or the end of a drag',
  ),
  start_coordinate: Coordinate.optional().describe('[x, y]: start of a drag'),
  text: z
    .string()
    .max(MAX_TEXT)
    .optional()
    .describe(
      'type: the text; key and hold_key: keys such as Return or ctrl+s; clicks and scroll: keys to hold meanwhile',
    ),
  scroll_direction: z.enum(['up', 'down', 'left', 'right']).optional(),
  scroll_amount: z.number().min(0).max(MAX_NOTCHES).optional().describe('Wheel notches'),
  duration: z
    .number()
    .min(0)
    .max(MAX_SECONDS)
    .optional()
    .describe('Seconds, for wait and hold_key'),
  region: z
    .tuple([z.number(), z.number(), z.number(), z.number()])
    .optional()
    .describe('zoom: the area as [left, top, right, bottom]'),
  repeat: z.int().min(1).max(100).optional().describe('key: number of repetitions'),
});
export type ActionInput = z.output<typeof ActionInput>;

const Place = { x: z.number(), y: z.number() };
const Held = { keys: z.array(z.string().max(50)).max(10).optional() };
const OpenAIAction = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('click'),
    button: z.enum(['left', 'right', 'wheel', 'back', 'forward']),
    ...Place,
    ...Held,
  }),
  z.object({ type: z.literal('double_click'), ...Place, ...Held }),
  z.object({ type: z.literal('drag'), path: z.array(z.object(Place)).min(2).max(200), ...Held }),
  z.object({ type: z.literal('keypress'), keys: z.array(z.string().max(50)).min(1).max(20) }),
  z.object({ type: z.literal('move'), ...Place, ...Held }),
  z.object({ type: z.literal('screenshot') }),
  z.object({
    type: z.literal('scroll'),
    ...Place,
    scrollX: z.number(),
    scrollY: z.number(),
    ...Held,
  }),
  z.object({ type: z.literal('type'), text: z.string().max(MAX_TEXT) }),
  z.object({ type: z.literal('wait') }),
]);
type OpenAIAction = z.output<typeof OpenAIAction>;

/** The input format of OpenAI's models: several actions in one call, and pending safety checks. */
export const ActionsInput = z.object({
  actions: z.array(OpenAIAction).max(MAX_ACTIONS),
  pendingSafetyChecks: z
    .array(z.object({ id: z.string(), message: z.string().optional() }))
    .default([]),
});

const point = ([x, y]: readonly [number, number]): Point => ({ x, y });

/** Throws an error that names the missing field. */
export function actionOf(input: ActionInput): ComputerAction {
  const { action, text = '', duration } = input;
  const at = input.coordinate === undefined ? undefined : point(input.coordinate);
  const click = (button: Button, times = 1): ComputerAction => ({
    type: 'click',
    at,
    button,
    times,
    keys: text,
  });
  switch (action) {
    case 'screenshot':
    case 'cursor_position':
      return { type: action };
    case 'wait':
      return { type: 'wait', seconds: duration ?? 1 };
    case 'zoom':
      return { type: 'zoom', region: input.region ?? missing('region') };
    case 'mouse_move':
      return { type: 'move', to: at ?? missing('coordinate'), keys: '' };
    case 'left_click':
      return click('left');
    case 'right_click':
      return click('right');
    case 'middle_click':
      return click('middle');
    case 'double_click':
      return click('left', 2);
    case 'triple_click':
      return click('left', 3);
    case 'left_mouse_down':
    case 'left_mouse_up':
      return { type: 'button', down: action === 'left_mouse_down', at };
    case 'left_click_drag': {
      const from = input.start_coordinate;
      const path = [...(from === undefined ? [] : [point(from)]), at ?? missing('coordinate')];
      return { type: 'drag', path, keys: text };
    }
    case 'scroll': {
      const direction = input.scroll_direction ?? missing('scroll_direction');
      const notches = Math.round(input.scroll_amount ?? 3);
      return { type: 'scroll', at, direction, notches, keys: text };
    }
    case 'type':
      return { type: 'type', text: input.text ?? missing('text') };
    case 'key':
      return {
        type: 'keys',
        keys: input.text ?? missing('text'),
        seconds: 0,
        times: input.repeat ?? 1,
      };
    case 'hold_key':
      return {
        type: 'keys',
        keys: input.text ?? missing('text'),
        seconds: duration ?? 1,
        times: 1,
      };
  }
}

/** Pixels per wheel notch in most programs. */
const NOTCH = 100;

export function actionsOf(action: OpenAIAction): ComputerAction[] {
  const keys = 'keys' in action ? (action.keys ?? []).join('+') : '';
  switch (action.type) {
    case 'screenshot':
      return [{ type: 'screenshot' }];
    case 'wait':
      return [{ type: 'wait', seconds: 2 }];
    case 'type':
      return [{ type: 'type', text: action.text }];
    case 'keypress':
      return [{ type: 'keys', keys, seconds: 0, times: 1 }];
    case 'move':
      return [{ type: 'move', to: action, keys }];
    case 'click': {
      const button = action.button === 'wheel' ? 'middle' : action.button;
      return [{ type: 'click', at: action, button, times: 1, keys }];
    }
    case 'double_click':
      return [{ type: 'click', at: action, button: 'left', times: 2, keys }];
    case 'drag':
      return [{ type: 'drag', path: action.path, keys }];
    case 'scroll': {
      const turn = (amount: number, forth: Direction, back: Direction): ComputerAction[] => {
        const notches = Math.min(MAX_NOTCHES, Math.ceil(Math.abs(amount) / NOTCH));
        const direction = amount > 0 ? forth : back;
        return notches === 0 ? [] : [{ type: 'scroll', at: action, direction, notches, keys }];
      };
      return [...turn(action.scrollY, 'down', 'up'), ...turn(action.scrollX, 'right', 'left')];
    }
  }
}

function missing(field: string): never {
  throw new Error(`The action requires ${field}. Nothing was done.`);
}
