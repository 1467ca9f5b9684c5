import type { Clock } from '@chatd/loop';
import type { TemplateDefinition } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Sandbox } from '../machine/drivers/driver.ts';
import type { OpenWorkspace } from '../workspaces/open-workspace.ts';
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
  readonly #running = new WeakMap<Sandbox, Promise<Desktop>>();

  constructor(options: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Throws a `DesktopUnavailable` that says what to do. */
  of(
    { id, sandbox }: OpenWorkspace,
    definition: Pick<TemplateDefinition, 'desktop'>,
  ): Promise<Desktop> {
    const known = this.#running.get(sandbox);
    if (known !== undefined) return known;
    const starting = this.#start(id, sandbox, desktopSize(definition));
    this.#running.set(sandbox, starting);
    const forget = () => this.#running.delete(sandbox);
    starting.then(({ ended }) => ended.then(forget), forget).catch(forget);
    return starting;
  }

  /** Undefined: not started. */
  find({ sandbox }: OpenWorkspace): Promise<Desktop> | undefined {
    return this.#running.get(sandbox);
  }

  /**
   * Starts the desktop of a newly opened workspace if its template enables it. A failure does not affect the workspace.
   */
  async prepare(workspace: OpenWorkspace, definition: TemplateDefinition): Promise<void> {
    if (definition.desktop === undefined || definition.desktop === false) return;
    await this.of(workspace, definition).catch((error: unknown) =>
      this.#log.warn({ workspace_id: workspace.id, err: error }, 'starting a desktop failed'),
    );
  }

  async #start(id: string, sandbox: Sandbox, size: Size): Promise<Desktop> {
    const desktop = await Desktop.start(sandbox, size, this.#clock);
    this.#log.info({ workspace_id: id, ...size }, 'desktop started');
    return desktop;
  }
}
