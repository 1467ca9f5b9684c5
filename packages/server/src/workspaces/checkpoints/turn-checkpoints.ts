import type { ChatRow } from '../../chat/row.ts';
import type { HostedWorkspace } from '../../machine/machine.ts';
import type { Checkpoints, OpenTurn } from './checkpoints.ts';

interface Recorded {
  readonly turn: OpenTurn;
  /** The state after the last step. */
  readonly last: string;
}

/**
 * The checkpoints of one turn. A turn that changes no files has none. If a checkpoint cannot be recorded, the turn goes
 * on without it.
 */
export class TurnCheckpoints {
  readonly #checkpoints: Checkpoints;
  readonly #chat: ChatRow;
  #workspace: { readonly id: string; readonly open: HostedWorkspace } | undefined;
  /** The last checkpoint, recorded one after the other. Undefined: none yet, or it failed. */
  #recorded: Promise<Recorded | undefined> | undefined;
  #hasChanged = false;

  constructor(checkpoints: Checkpoints, chat: ChatRow) {
    this.#checkpoints = checkpoints;
    this.#chat = chat;
  }

  /** Call before a tool that may change files. Waits for the checkpoints of earlier steps. */
  async beforeChange(id: string, open: HostedWorkspace): Promise<void> {
    if (this.#workspace?.id !== id) this.#recorded = undefined;
    this.#workspace = { id, open };
    this.#recorded ??= this.#attempt(async () => {
      const turn = await this.#checkpoints.beginTurn(this.#chat, id, open);
      return { turn, last: turn.tree };
    });
    await this.#recorded;
    this.#hasChanged = true;
  }

  /** A step was committed. Records its files while the turn goes on. */
  stepCommitted(messageId: number): void {
    const { workspace, recorded } = { workspace: this.#workspace, recorded: this.#recorded };
    if (!this.#hasChanged || workspace === undefined || recorded === undefined) return;
    this.#hasChanged = false;
    this.#recorded = this.#attempt(async () => {
      const before = await recorded;
      if (before === undefined) return undefined;
      const step = { ...before, messageId };
      const last = await this.#checkpoints.addStep(this.#chat, workspace.id, workspace.open, step);
      return { turn: before.turn, last };
    });
  }

  /** The turn has ended. */
  async ended(): Promise<void> {
    if (this.#workspace === undefined) return;
    const recorded = await this.#recorded;
    const turn = this.#hasChanged ? undefined : recorded?.turn;
    await this.#checkpoints.finish(this.#chat, this.#workspace.id, turn);
  }

  async #attempt(record: () => Promise<Recorded | undefined>): Promise<Recorded | undefined> {
    try {
      return await record();
    } catch (error) {
      const { log } = this.#checkpoints;
      log.warn({ chat_id: this.#chat.id, err: error }, 'the files of a turn were not recorded');
      return undefined;
    }
  }
}
