import { type LocalTool, Media, nativeComputer, type ToolContext } from '@chatd/loop';
import { z } from 'zod';
import type { Desktop } from '../../desktop/desktop.ts';
import type { Size } from '../../desktop/picture/scale.ts';
import type { Screen } from '../../desktop/screen.ts';
import type { WorkspaceHandle } from '../workspace-handle.ts';
import { type ComputerAction, actionOf, ActionInput, ActionsInput, actionsOf } from './action.ts';
import { perform, type ActionContext } from './perform.ts';
import { shownSize, View } from './view.ts';
import { agentTool } from '../agent-tool.ts';

/** Approximate number of screenshots that stay in the context: the newest ones. */
const RECENT_SCREENSHOTS = 20;

type Plan = { readonly actions: readonly ComputerAction[] } | { readonly refused: string };

/** Models call in the format of their provider: one action, or several at once. */
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

/** Actions with pending safety checks are refused, because no user can confirm them during a call. */
function planOf({ actions, pendingSafetyChecks }: z.output<typeof ActionsInput>): Plan {
  if (pendingSafetyChecks.length === 0) return { actions: actions.flatMap(actionsOf) };
  const why = pendingSafetyChecks.map(({ id, message }) => message ?? id).join(' ');
  return {
    refused: `Nothing was done because of a safety check of the provider: ${why} Do not try again. Report this.`,
  };
}

export interface ComputerOptions {
  readonly handle: WorkspaceHandle;
  readonly desktop: (context: ToolContext) => Promise<Desktop>;
  /** The configured size, known before the desktop starts. */
  readonly size: Size;
}

/** The screen, mouse and keyboard of the desktop. Every action returns a screenshot. */
export const computer = ({ handle, desktop, size }: ComputerOptions): LocalTool => {
  const shown = shownSize(size);
  return agentTool({
    name: 'computer',
    description: `Use the mouse, keyboard and screen of the workspace's desktop. Every action returns a screenshot of ${shown.width} × ${shown.height} pixels; coordinates refer to it. Start programs with execute (run_in_background), or from the menu that opens with a right click on the empty desktop.`,
    input: INPUT,
    // A click that may have happened must not be repeated.
    idempotent: false,
    forDesktops: true,
    recentFiles: RECENT_SCREENSHOTS,
    native: (model) => nativeComputer(model, shown),
    async run(plan, context) {
      const running = await desktop(context);
      if ('refused' in plan) {
        return await pictured(await running.screen(), handle, context, [], plan.refused);
      }
      return await running.act(waiting(context), (screen) =>
        pictured(screen, handle, context, plan.actions),
      );
    },
  });
};

const waiting = (context: ToolContext) => ({
  signal: context.signal,
  onWaiting: (ms: number) =>
    context.publish(
      ms === 0
        ? 'A person has taken control of the desktop. Waiting for control.\n'
        : `Still waiting for control of the desktop (${Math.round(ms / 1000)} s).\n`,
    ),
});

/** The screen after the actions. A failed action ends the sequence; the screenshot shows the state at that point. */
async function pictured(
  screen: Screen,
  { clock }: WorkspaceHandle,
  { signal }: ToolContext,
  actions: readonly ComputerAction[],
  refused?: string,
): Promise<Media> {
  const view = new View(screen.size);
  const stage: ActionContext = { screen, view, clock, signal };
  const notes: string[] = refused === undefined ? [] : [refused];
  for (const action of actions) {
    try {
      const words = await perform(action, stage);
      if (words !== undefined) notes.push(words);
    } catch (error) {
      signal.throwIfAborted();
      if (screen.isGone)
        throw new Error('The desktop has ended. Try again; it will be restarted.', {
          cause: error,
        });
      if (actions.length === 1) throw error;
      notes.push(error instanceof Error ? error.message : String(error));
      break;
    }
  }
  await screen.settle(signal);
  const zoom = actions.findLast((action) => action.type === 'zoom');
  const { part, size } = zoom === undefined ? { size: view.shown } : view.zoom(zoom.region);
  const data = await screen.picture(size, part);
  return new Media([{ data, media_type: 'image/png', name: 'screenshot.png' }], notes.join('\n'));
}
