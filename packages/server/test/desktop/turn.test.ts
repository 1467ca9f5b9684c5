import { expect, test } from 'vitest';
import type { Framebuffer } from '../../src/desktop/rfb/framebuffer.ts';
import {
  BISQUE,
  cellAt,
  type Corner,
  ECHOING,
  findTerminal,
  hasDesktops,
  hasKeys,
  readLine,
  type ScriptedAgent,
  terminal,
} from '@chatd/test-server/desktop';
import { DesktopWorld } from './world.ts';

const PARENT: ScriptedAgent = {
  task: 'Have it tried',
  decide(step) {
    switch (step) {
      case 0:
        return { tool: 'create_workspace', template: 'desk' };
      case 1:
        return { tool: 'spawn_computer_use_agent', prompt: 'Use the terminal.' };
      case 2:
        return { tool: 'wait_agent' };
      default:
        return 'It was tried.';
    }
  },
};

/**
 * Finds the terminal, clicks on it, types, and reports the text on the screen. Takes another screenshot until the
 * screen shows its last action.
 */
function user(): ScriptedAgent {
  let [clicked, typed] = [false, false];
  const act = ({ x, y }: Corner, screen: Framebuffer) => {
    if (!clicked) {
      clicked = true;
      return { action: 'left_click', coordinate: [x, y] };
    }
    if (!typed && hasKeys(screen, BISQUE, 1)) {
      typed = true;
      return { action: 'type', text: 'Hello from the model: 3, 2, 1!' };
    }
    return { action: 'screenshot' };
  };
  return {
    task: 'Use the terminal.',
    decide(step, { screen }) {
      if (step === 0) {
        const command = terminal(BISQUE, '80x10+200+150', ECHOING);
        return { tool: 'execute', command, run_in_background: true };
      }
      const corner = screen && findTerminal(screen, BISQUE);
      if (screen === undefined || corner === undefined) return { action: 'screenshot' };
      const read = readLine(screen, BISQUE, 1).replaceAll('\u25a1', '');
      if (!read.endsWith('!')) return act(cellAt(corner, 10, 4), screen);
      return `On the screen stands: ${read}`;
    },
  };
}

test.skipIf(!hasDesktops)(
  'a model takes screenshots, clicks, types, and reads its text back from the pixels',
  { timeout: 120_000 },
  async () => {
    const world = await DesktopWorld.start();
    const { owner } = world.server;
    world.script(PARENT);
    world.script(user());
    const chat_id = await world.chat('Have it tried');
    await world.waiting(chat_id);

    const results = await world.results(chat_id);
    expect(results.map(({ tool_name, is_error }) => [tool_name, is_error ?? false])).toEqual([
      ['create_workspace', false],
      ['spawn_computer_use_agent', false],
      ['wait_agent', false],
    ]);
    const report = results[2];
    expect(report?.result).toBe('On the screen stands: Hello from the model: 3, 2, 1!');

    // The report has a recording.
    const [recording = ''] = report?.file_ids ?? [];
    const { headers, text } = await owner.call('getFile', { params: { file_id: recording } });
    expect(headers.get('content-type')).toBe('video/mp4');
    expect(text.slice(4, 8)).toBe('ftyp');

    // The model gets the tool as its provider defines it, and no irrelevant tools.
    const asked = world.fake.requests.find(({ body }) =>
      JSON.stringify((body['messages'] as unknown[])[0]).includes('Use the terminal.'),
    );
    const tools = asked?.body['tools'] as { name: string; type?: string }[];
    expect(tools.find(({ name }) => name === 'computer')).toEqual({
      name: 'computer',
      type: 'computer_20250124',
      display_width_px: 1200,
      display_height_px: 800,
    });
    expect(asked?.headers['anthropic-beta']).toContain('computer-use-2025-01-24');
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_file', 'execute']));
    expect(tools.map(({ name }) => name)).not.toContain('spawn_agent');
    expect(JSON.stringify(asked?.body['system'])).toContain('You use a desktop');
  },
);
