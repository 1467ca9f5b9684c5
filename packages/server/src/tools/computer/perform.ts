import { type Clock, sleep } from '@chatd/loop';
import { chordOf } from '../../desktop/keysyms.ts';
import type { Screen } from '../../desktop/screen.ts';
import type { ComputerAction } from './action.ts';
import type { View } from './view.ts';

export interface ActionContext {
  readonly screen: Screen;
  readonly view: View;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Performs the action. Returns text to add to the screenshot. */
export async function perform(
  action: ComputerAction,
  stage: ActionContext,
): Promise<string | undefined> {
  const { screen, view, clock, signal } = stage;
  const pause = (seconds: number) => sleep(clock, seconds * 1000, signal);
  switch (action.type) {
    case 'screenshot':
    case 'zoom':
      return undefined;
    case 'cursor_position': {
      const { x, y } = view.toShown(screen.pointer);
      return `The pointer is at [${x}, ${y}].`;
    }
    case 'wait':
      await pause(action.seconds);
      return undefined;
    case 'type':
      await screen.type(action.text, signal);
      return undefined;
    case 'keys': {
      const chords = action.keys
        .split(/\s+/)
        .filter((chord) => chord !== '')
        .map(demandChord);
      for (let count = 0; count < action.times; count++) {
        for (const keysyms of chords) await screen.holding(keysyms, () => pause(action.seconds));
      }
      return undefined;
    }
    case 'move': {
      const to = view.toScreen(action.to);
      await screen.holding(demandChord(action.keys), () => screen.moveTo(to));
      return undefined;
    }
    case 'button':
      if (action.at !== undefined) await screen.moveTo(view.toScreen(action.at));
      await screen.press('left', action.down);
      return undefined;
    case 'click': {
      const { at, button, times } = action;
      const keysyms = demandChord(action.keys);
      if (at !== undefined) await screen.moveTo(view.toScreen(at));
      await screen.holding(keysyms, () => screen.click(button, times));
      return undefined;
    }
    case 'drag': {
      const path = action.path.map((point) => view.toScreen(point));
      const start = path.length === 1 ? [screen.pointer] : [];
      await screen.holding(demandChord(action.keys), () => screen.drag([...start, ...path]));
      return undefined;
    }
    case 'scroll': {
      const { at, direction, notches } = action;
      const keysyms = demandChord(action.keys);
      if (at !== undefined) await screen.moveTo(view.toScreen(at));
      await screen.holding(keysyms, () => screen.scroll(direction, notches));
      return undefined;
    }
  }
}

function demandChord(text: string): readonly number[] {
  if (text === '') return [];
  const chord = chordOf(text);
  if ('keysyms' in chord) return chord.keysyms;
  throw new Error(
    `Unknown key ${JSON.stringify(chord.unknown)}. Use X key names: Return, Tab, ctrl+c, Page_Down, F5.`,
  );
}
