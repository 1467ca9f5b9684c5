import { type LocalTool, Media, nativeComputer, tool, type ToolContext } from '@chatd/loop';
import { z } from 'zod';
import type { Desktop } from '../../desktop/desktop.ts';
import type { Size } from '../../desktop/picture/scale.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { type ComputerAction, actionOf, ActionInput, ActionsInput, actionsOf } from './action.ts';
import { perform, type ActionContext } from './perform.ts';
import { shownSize, View } from './view.ts';

/** About how many screenshots a model goes on to see: the newest ones. */
const RECENT_SCREENSHOTS = 20;

type Plan = { readonly actions: readonly ComputerAction[] } | { readonly refused: string };

/** Models call in the form of their provider: one action, or several at once. */
const INPUT = z
  .unknown()
  .transform((value, context): Plan => {
    const isList = typeof value === 'object' && value !== null && 'actions' in value;
    try {
      return isList
        ? planOf(ActionsInput.parse(value))
        : { actions: [actionOf(ActionInput.parse(value))] };
    } catch (error) {
      const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  })
  .meta(z.toJSONSchema(ActionInput, { target: 'draft-7', io: 'input' }) as Record<string, unknown>);

/** Where the provider wants a person to look first, nothing is done: there is nobody to ask in the middle of a call. */
function planOf({ actions, pendingSafetyChecks }: z.output<typeof ActionsInput>): Plan {
  if (pendingSafetyChecks.length === 0) return { actions: actions.flatMap(actionsOf) };
  const why = pendingSafetyChecks.map(({ id, message }) => message ?? id).join(' ');
  return {
    refused: `Nothing was done, because of a safety check of the provider: ${why} Do not try again; report it.`,
  };
}

export interface ComputerOptions {
  readonly handle: WorkspaceHandle;
  /** Starts it if need be. */
  readonly desktop: () => Promise<Desktop>;
  /** As its workspace wants it, known before it runs. */
  readonly size: Size;
}

/** The screen, the mouse and the keyboard of the desktop. Every action is answered with a picture of what came of it. */
export const computer = ({ handle, desktop, size }: ComputerOptions): LocalTool => {
  const shown = shownSize(size);
  return tool({
    name: 'computer',
    description: `The mouse, the keyboard and the screen of the desktop of the workspace. Every action is answered with a screenshot, ${shown.width} × ${shown.height} pixels; coordinates are those of the screenshot. Programs are started with execute (run_in_background), or from the menu that a right click on the empty desktop shows.`,
    input: INPUT,
    // A click that may have happened is not made twice.
    idempotent: false,
    recentFiles: RECENT_SCREENSHOTS,
    native: (model) => nativeComputer(model, shown),
    async run(plan, context) {
      const running = await desktop();
      if ('refused' in plan) return await pictured(running, handle, context, [], plan.refused);
      return await running.control.act(waiting(context), async () =>
        pictured(running, handle, context, plan.actions),
      );
    },
  });
};

const waiting = (context: ToolContext) => ({
  signal: context.signal,
  onWaiting: (ms: number) =>
    context.publish(
      ms === 0
        ? 'A person has taken control of the desktop. Waiting until it is given back.\n'
        : `Still waiting for the desktop (${Math.round(ms / 1000)} s).\n`,
    ),
});

/** What is there after the actions. One that fails ends them, and the picture shows how far they came. */
async function pictured(
  desktop: Desktop,
  { clock }: WorkspaceHandle,
  { signal }: ToolContext,
  actions: readonly ComputerAction[],
  refused?: string,
): Promise<Media> {
  const screen = await desktop.screen();
  const view = new View(screen.size);
  const stage: ActionContext = { screen, view, clock, signal };
  const said: string[] = refused === undefined ? [] : [refused];
  for (const action of actions) {
    try {
      const words = await perform(action, stage);
      if (words !== undefined) said.push(words);
    } catch (error) {
      signal.throwIfAborted();
      if (screen.isGone)
        throw new Error('The desktop has ended: try again, it is started anew.', { cause: error });
      if (actions.length === 1) throw error;
      said.push(error instanceof Error ? error.message : String(error));
      break;
    }
  }
  await screen.settle(signal);
  const zoom = actions.findLast((action) => action.type === 'zoom');
  const { part, size } = zoom === undefined ? { size: view.shown } : view.zoom(zoom.region);
  const data = await screen.picture(size, part);
  return new Media([{ data, media_type: 'image/png', name: 'screenshot.png' }], said.join('\n'));
}
