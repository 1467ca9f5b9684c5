import { Media } from '@chatd/loop';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodePng } from '../../src/desktop/picture/decode-png.ts';
import type { Framebuffer } from '../../src/desktop/rfb/framebuffer.ts';
import { eventually } from '@chatd/test-server/eventually';
import { ToolWorld, type Turn } from '../tools/world.ts';
import {
  AZURE,
  BISQUE,
  cellAt,
  type Corner,
  ECHOING,
  findTerminal,
  hasDesktops,
  hasKeys,
  MINT,
  readLine,
  ROSE,
  terminal,
} from '@chatd/test-server/desktop';

/** Logs mouse events by cell: `0;10;5M` is the left button pressed in column 10, line 5. */
const MOUSE = "stty raw -echo; printf '\\033[?1002h\\033[?1006h'; exec cat >mouse.log";
/** Logs received keys byte by byte. */
const KEYS = 'stty raw -echo; exec cat >>keys.log';

const at = ({ x, y }: Corner) => [x, y];

describe.skipIf(!hasDesktops)('the computer tool', () => {
  let turn: Turn;
  let world: ToolWorld;

  /** The tools of an agent that uses the desktop of a new workspace. */
  async function agent(size: { width: number; height: number }): Promise<Turn> {
    const here = await world.replica();
    const template = await world.template({ desktop: size });
    const parent = await world.store.create();
    const first = await here.turn(parent.id);
    await first.call('create_workspace', { template });
    const chat = await world.store.create({
      parent: await world.chat(parent.id),
      agent: { type: 'computer', call: `${parent.id}/1/c` },
    });
    return await here.turn(chat.id);
  }

  async function act(args: object, on: Turn = turn): Promise<Framebuffer> {
    const output = await on.call('computer', args);
    if (!(output instanceof Media)) throw new Error(`no picture: ${JSON.stringify(output)}`);
    const [file] = output.files;
    expect(file?.media_type).toBe('image/png');
    return await decodePng(file?.data ?? new Uint8Array());
  }

  const open = (command: string, on: Turn = turn) =>
    on.call('execute', { command, run_in_background: true });
  const found = (color: typeof BISQUE, on: Turn = turn) =>
    eventually(async () => {
      const corner = findTerminal(await act({ action: 'screenshot' }, on), color);
      if (corner === undefined) throw new Error('no terminal yet');
      return corner;
    });
  const logged = async (name: string) => {
    const { output } = (await turn.call('execute', { command: `cat -v ${name}` })) as {
      output: string;
    };
    return output;
  };

  /** The logged mouse events. */
  const events = async () =>
    [...(await logged('mouse.log')).matchAll(/\[<([\d;]+[Mm])/g)].map(([, event]) => event);
  /** The mouse events of an action, once it has produced this many or this one. */
  const during = async (args: object, last: number | string) => {
    const before = (await events()).length;
    await act(args);
    return await eventually(async () => {
      const seen = (await events()).slice(before);
      if (typeof last === 'string') expect(seen).toContain(last);
      else expect(seen.length).toBeGreaterThanOrEqual(last);
      return seen;
    });
  };
  const keys = async () => {
    const { output } = (await turn.call('execute', { command: 'cat keys.log' })) as {
      output: string;
    };
    return output;
  };
  /** Waits until the program has received these keys from the actions. */
  const types = async (expected: string | RegExp, ...actions: object[]) => {
    await turn.call('execute', { command: ': >keys.log' });
    for (const args of actions) await act(args);
    await eventually(async () => {
      if (typeof expected === 'string') expect(await keys()).toBe(expected);
      else expect(await keys()).toMatch(expected);
    });
  };
  const getsKeys = (color: typeof BISQUE) =>
    eventually(async () =>
      expect(hasKeys(await act({ action: 'screenshot' }), color, 1)).toBe(true),
    );
  /** Waits until a line of a terminal shows this text. */
  const shows = (color: typeof BISQUE, line: number, text: string | RegExp) =>
    eventually(async () =>
      expect(readLine(await act({ action: 'screenshot' }), color, line)).toMatch(text),
    );

  beforeAll(async () => {
    world = await ToolWorld.start();
    turn = await agent({ width: 1200, height: 800 });
  });

  test('the clicked window receives the typed text and shows it', async () => {
    await open(terminal(BISQUE, '80x10+40+40', ECHOING));
    const corner = await found(BISQUE);
    // The terminal opened last has the focus until the other one is clicked.
    await open(terminal(AZURE, '80x10+40+400', ECHOING));
    await getsKeys(AZURE);
    await act({ action: 'type', text: 'for the last' });
    await shows(AZURE, 1, /^for the last/);
    await act({ action: 'left_click', coordinate: at(cellAt(corner, 20, 5)) });
    await getsKeys(BISQUE);
    await act({ action: 'type', text: 'Typed here: 42!' });
    await shows(BISQUE, 1, /^Typed here: 42!\u25a1$/);

    await act({ action: 'key', text: 'Return' });
    await shows(BISQUE, 2, /^Typed here: 42!$/);
    await act({ action: 'type', text: 'wrong' });
    await shows(BISQUE, 3, /^wrong/);
    await act({ action: 'key', text: 'ctrl+u' });
    await shows(BISQUE, 3, /^(?!.*wrong)/);
  });

  test('a zoomed screenshot shows only its region, enlarged', async () => {
    const { x, y } = await found(BISQUE);
    const zoomed = await act({ action: 'zoom', region: [x, y, x + 300, y + 130] });
    expect([zoomed.width, zoomed.height]).toEqual([1200, 520]);
    expect(findTerminal(zoomed, AZURE)).toBeUndefined();
    expect(findTerminal(zoomed, BISQUE)).toEqual({ x: 0, y: 0 });
  });

  test('all buttons, double and triple clicks, drags, and the wheel arrive at their coordinates', async () => {
    await open(terminal(MINT, '60x10+600+200', MOUSE));
    await eventually(async () => expect(await logged('mouse.log')).toBe(''));
    const corner = await found(MINT);
    const cell = (column: number, line: number) => at(cellAt(corner, column - 1, line - 1));
    // The terminal may miss the first clicks. Once it reports one, it reports all later ones.
    await eventually(async () => {
      await act({ action: 'left_click', coordinate: cell(1, 1) });
      expect(await events()).not.toEqual([]);
    });
    await during({ action: 'left_click', coordinate: cell(2, 1) }, '0;2;1m');
    expect(await during({ action: 'left_click', coordinate: cell(10, 5) }, 2)).toEqual([
      '0;10;5M',
      '0;10;5m',
    ]);
    expect(await during({ action: 'right_click', coordinate: cell(3, 2) }, 2)).toEqual([
      '2;3;2M',
      '2;3;2m',
    ]);
    expect(await during({ action: 'middle_click' }, 2)).toEqual(['1;3;2M', '1;3;2m']);
    expect(await during({ action: 'double_click', coordinate: cell(4, 4) }, 4)).toEqual([
      '0;4;4M',
      '0;4;4m',
      '0;4;4M',
      '0;4;4m',
    ]);
    expect(await during({ action: 'triple_click' }, 6)).toHaveLength(6);
    const drag = await during(
      { action: 'left_click_drag', start_coordinate: cell(5, 3), coordinate: cell(25, 8) },
      '0;25;8m',
    );
    expect(drag[0]).toBe('0;5;3M');
    expect(drag.at(-1)).toBe('0;25;8m');
    expect(drag).toContain('32;25;8M');
    expect(
      await during(
        { action: 'scroll', coordinate: cell(6, 6), scroll_direction: 'down', scroll_amount: 3 },
        3,
      ),
    ).toEqual(['65;6;6M', '65;6;6M', '65;6;6M']);
    expect(
      await during({ action: 'scroll', scroll_direction: 'up', scroll_amount: 1, text: 'ctrl' }, 1),
    ).toEqual(['80;6;6M']);
    expect(await during({ action: 'left_mouse_down', coordinate: cell(2, 2) }, 1)).toEqual([
      '0;2;2M',
    ]);
    expect(await during({ action: 'left_mouse_up' }, 1)).toEqual(['0;2;2m']);

    // OpenAI's models send several actions at once.
    expect(
      await during(
        {
          actions: [
            { type: 'move', x: cell(7, 7)[0], y: cell(7, 7)[1] },
            { type: 'click', button: 'wheel', x: cell(7, 7)[0], y: cell(7, 7)[1] },
            { type: 'scroll', x: cell(7, 7)[0], y: cell(7, 7)[1], scrollX: 0, scrollY: -200 },
          ],
          pendingSafetyChecks: [],
          status: 'completed',
        },
        4,
      ),
    ).toEqual(['1;7;7M', '1;7;7m', '64;7;7M', '64;7;7M']);
  });

  test('keys, held keys, and characters of all scripts arrive', async () => {
    await open(terminal(ROSE, '60x10+600+500', KEYS));
    await eventually(async () => expect(await logged('keys.log')).toBe(''));
    // The terminal may miss the first keys. Once one arrives, all later ones do.
    await eventually(async () => {
      await act({ action: 'type', text: 'a' });
      expect(await keys()).not.toBe('');
    });
    await act({ action: 'type', text: 'b' });
    await eventually(async () => expect(await keys()).toMatch(/b$/));
    const text = 'Grüße, Ω ≈ 漢字 – "quoted" {braces} ~tilde €5';
    await types(text, { action: 'type', text });
    await types('\u0003', { action: 'key', text: 'ctrl+c' });
    await types('\u001b[A', { action: 'key', text: 'Up' });
    await types('\t\t\t', { action: 'key', text: 'Tab', repeat: 3 });
    await types('Ab', { action: 'key', text: 'shift+a b' });
    await types(
      /^x+y$/,
      { action: 'hold_key', text: 'x', duration: 0.1 },
      { action: 'type', text: 'y' },
    );
    await types('\u0001', {
      actions: [{ type: 'keypress', keys: ['CTRL', 'A'] }],
      pendingSafetyChecks: [],
    });
  });

  test('an impossible action is refused with a reason and has no effect', async () => {
    for (const [args, words] of [
      [
        { action: 'left_click', coordinate: [5000, 10] },
        'is outside the screen. The screenshot is 1200 × 800',
      ],
      [{ action: 'key', text: 'Hyperspace' }, 'Unknown key "Hyperspace"'],
    ] as const) {
      expect(await turn.refusal('computer', args)).toContain(words);
    }
    const output = (await turn.call('computer', {
      actions: [{ type: 'type', text: 'dangerous' }],
      pendingSafetyChecks: [{ id: 'sc1', message: 'This page wants to trick you.' }],
    })) as Media;
    expect(output.text).toContain('Nothing was done');
    expect(output.text).toContain('This page wants to trick you.');
    await act({ action: 'mouse_move', coordinate: [100, 200] });
    const position = (await turn.call('computer', { action: 'cursor_position' })) as Media;
    expect(position.text).toBe('The pointer is at [100, 200].');
  });

  test('on a screen larger than the screenshots, coordinates refer to the screenshot', async () => {
    const large = await agent({ width: 1920, height: 1080 });
    const picture = await act({ action: 'screenshot' }, large);
    expect([picture.width, picture.height]).toEqual([1429, 804]);
    await open(terminal(BISQUE, '60x10+1300+700', MOUSE), large);
    // The click targets column 20 of line 5, wherever the window is.
    const { output } = (await large.call('execute', {
      command: 'until [ -e mouse.log ]; do sleep 0.1; done; echo "$DISPLAY $XAUTHORITY"',
    })) as { output: string };
    expect(output).toBe(':1 /run/chatd/desktop/Xauthority\n');
    const corner = await found(BISQUE, large);
    const factor = 1920 / 1429;
    const goal = { x: corner.x + (19.5 * 6) / factor, y: corner.y + (4.5 * 13) / factor };
    await act(
      { action: 'left_click', coordinate: [Math.round(goal.x), Math.round(goal.y)] },
      large,
    );
    await eventually(async () => {
      const log = (await large.call('execute', { command: 'cat -v mouse.log' })) as {
        output: string;
      };
      expect(log.output).toContain('[<0;20;5M');
    });
  });
});
