import type { Clock } from '@chatd/loop';
import type { TemplateDefinition } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { HostedWorkspace } from '../machine/machine.ts';
import { Desktop } from './desktop.ts';
import type { Size } from './picture/scale.ts';

const USUAL_SIZE: Size = { width: 1920, height: 1080 };

/** The screen size from the template, whether or not it enables a desktop. */
export function desktopSize({ desktop }: Pick<TemplateDefinition, 'desktop'>): Size {
  return typeof desktop === 'object' ? desktop : USUAL_SIZE;
}

/** The desktops of open workspaces. Each starts on first use and ends with its workspace. */
export class Desktops {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #known = new WeakMap<HostedWorkspace, Desktop>();

  constructor(options: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Starts the desktop if it does not run. Throws a `DesktopUnavailable` that says what to do. */
  async of(
    workspace: HostedWorkspace,
    definition: Pick<TemplateDefinition, 'desktop'>,
  ): Promise<Desktop> {
    await workspace.desktop.start(desktopSize(definition));
    const known = this.#known.get(workspace) ?? new Desktop(workspace.desktop, this.#clock);
    this.#known.set(workspace, known);
    return known;
  }

  /**
   * Starts the desktop of a newly opened workspace if its template enables it. A failure does not affect the workspace.
   */
  async prepare(
    workspace: HostedWorkspace,
    { id, definition }: { readonly id: string; readonly definition: TemplateDefinition },
  ): Promise<void> {
    if (definition.desktop === undefined || definition.desktop === false) return;
    await workspace.desktop
      .start(desktopSize(definition))
      .catch((error: unknown) =>
        this.#log.warn({ workspace_id: id, err: error }, 'starting a desktop failed'),
      );
  }
}
