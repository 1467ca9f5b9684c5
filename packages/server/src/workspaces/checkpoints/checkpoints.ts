import type { WorkspaceDiff } from '@chatd/protocol';
import type { Logger } from 'pino';
import { notFound, Refused } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import {
  CheckpointsUnavailable,
  NO_CONTAINERS,
} from '../../machine/checkpoints/hosted-checkpoints.ts';
import { SandboxClosed } from '../../machine/drivers/driver.ts';
import { type HostedWorkspace, MachineOffline } from '../../machine/machine.ts';
import type { CheckpointRow } from '../../store/checkpoints.ts';
import type { Database } from '../../store/database.ts';
import {
  addCheckpoint,
  beginRestore,
  beginTurnCheckpoints,
  checkpointAt,
  checkpointBefore,
  checkpointState,
  closeTurnCheckpoints,
  dropCheckpoints,
  endRestore,
  endTurnCheckpoints,
  findCheckpoint,
  lastTreeOfTurn,
  type NewCheckpoint,
} from '../../store/queries/checkpoints.ts';
import { findMessage } from '../../store/queries/messages/read.ts';
import { onlyRow } from '../../store/statement.ts';
import type { WorkspaceRow } from '../../store/workspaces.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { parseChanges } from '../diff/parse-diff.ts';
import type { Workspaces } from '../workspaces.ts';

const MAX_FILES = 1000;

export interface CheckpointsOptions {
  readonly database: Database;
  readonly workspaces: Workspaces;
  readonly log: Logger;
}

export interface WorkspaceFiles {
  readonly of: WorkspaceRow;
  readonly tree: string;
}

/** A turn that may have changed files. */
export interface OpenTurn {
  readonly id: string;
  readonly messageId: number | null;
  /** The state before its first change. */
  readonly tree: string;
}

/** Records and restores the files of workspaces. Subagents count as their root chat. */
export class Checkpoints {
  readonly log: Logger;
  readonly #database: Database;
  readonly #workspaces: Workspaces;
  /** The last operation of each root chat. */
  readonly #pending = new Map<string, Promise<unknown>>();
  /** Why the files of a workspace were not recorded the last time. */
  readonly #problems = new Map<string, string>();

  constructor({ database, workspaces, log }: CheckpointsOptions) {
    this.#database = database;
    this.#workspaces = workspaces;
    this.log = log;
  }

  /** Records the files before the first change of a turn, or finds the record of a turn that is resumed. */
  beginTurn(chat: ChatRow, workspaceId: string, workspace: HostedWorkspace): Promise<OpenTurn> {
    return this.#inOrder(rootOf(chat), () => this.#beginTurn(chat, workspaceId, workspace));
  }

  async #beginTurn(
    chat: ChatRow,
    workspaceId: string,
    workspace: HostedWorkspace,
  ): Promise<OpenTurn> {
    const chat_id = rootOf(chat);
    await this.#finishRestore(chat_id, workspaceId, workspace);
    const state = await this.#state(chat_id, workspaceId);
    const open = openTurnOf(state);
    if (open?.messageId === state.turn_message_id && state.open_turn_workspace_id === workspaceId)
      return open;
    if (open !== undefined) await this.#endTurn(chat_id, workspaceId, workspace, open, state);
    const id = uuidv7();
    const saved = await this.#save(workspaceId, workspace, id, state.last_tree);
    const [begun] = await this.#database.query(beginTurnCheckpoints, {
      ...saved,
      chat_id,
      workspace_id: workspaceId,
      kind: 'before_turn',
      turn_message_id: state.turn_message_id,
      message_id: state.last_message_id,
    });
    if (begun !== undefined) return { id, messageId: state.turn_message_id, tree: saved.tree };
    // A subagent of the same turn was faster.
    const other = openTurnOf(await this.#state(chat_id, workspaceId));
    if (other === undefined) throw new CheckpointsUnavailable('The turn has ended meanwhile.');
    return other;
  }

  /** Records the files after a step, if they differ from `last`. Returns their state. */
  addStep(
    chat: ChatRow,
    workspaceId: string,
    workspace: HostedWorkspace,
    { turn, last, messageId }: { turn: OpenTurn; last: string; messageId: number },
  ): Promise<string> {
    return this.#inOrder(rootOf(chat), async () => {
      const saved = await this.#save(workspaceId, workspace, uuidv7(), turn.tree);
      if (saved.tree !== last) {
        await this.#database.query(addCheckpoint, {
          ...saved,
          chat_id: rootOf(chat),
          workspace_id: workspaceId,
          kind: 'step',
          turn_message_id: turn.messageId,
          message_id: messageId,
          turn_id: turn.id,
        });
      }
      return saved.tree;
    });
  }

  /**
   * Records the last files of a turn, and completes a restore, unless a turn is using the workspace. The files of
   * `recorded` are recorded already: later changes are not those of the turn.
   */
  async finish(chat: ChatRow, workspaceId: string, recorded?: OpenTurn): Promise<void> {
    const chat_id = rootOf(chat);
    try {
      await this.#inOrder(chat_id, async () => {
        const state = await this.#state(chat_id, workspaceId);
        const turn = state.is_idle ? openTurnOf(state) : undefined;
        if (turn === undefined && state.open_restore_id === null) return;
        if (turn !== undefined && turn.id === recorded?.id) {
          await this.#database.query(closeTurnCheckpoints, { id: turn.id });
          return;
        }
        const at = turn === undefined ? workspaceId : (state.open_turn_workspace_id ?? workspaceId);
        await this.#visit(at, async (workspace) => {
          await this.#finishRestore(chat_id, at, workspace);
          if (turn !== undefined) await this.#endTurn(chat_id, at, workspace, turn, state);
        });
      });
    } catch (error) {
      this.log.debug({ chat_id, err: error }, 'the checkpoint of a turn is still missing');
    }
  }

  async find(chat: ChatRow, id: string): Promise<CheckpointRow> {
    const [row] = await this.#database.query(findCheckpoint, { id, chat_id: rootOf(chat) });
    if (row === undefined) throw notFound();
    return row;
  }

  async diff(row: CheckpointRow): Promise<WorkspaceDiff> {
    const computed_at = row.created_at.toISOString();
    const { base_tree: base } = row;
    const about = { workspace_id: row.workspace_id, computed_at };
    if (base === null) return { ...about, repositories: [] };
    const found = await this.#visit(row.workspace_id, (workspace) =>
      workspace.checkpoints.diff(base, row.tree),
    );
    const files = parseChanges(found.changes);
    return {
      ...about,
      repositories: [
        {
          path: '.',
          branch: null,
          base: null,
          head: null,
          files: files.slice(0, MAX_FILES),
          more_files: files.length > MAX_FILES || found.changesCut,
          patch: found.patch.replaceAll('\0', '\uFFFD'),
          patch_cut: found.patchCut,
        },
      ],
    };
  }

  /** The files when a message was the last one, for a workspace that begins with them. */
  async filesAt(chat: ChatRow, message_id: number): Promise<WorkspaceFiles> {
    const chat_id = rootOf(chat);
    if (chat.workspace_id !== null) await this.finish(chat, chat.workspace_id);
    const [row] = await this.#database.query(checkpointAt, { chat_id, message_id });
    const id = row?.workspace_id ?? chat.workspace_id;
    if (id === null)
      throw new Refused('checkpoint_unavailable', 'The chat has no workspace with files to copy.');
    const of = await this.#workspaces.find(id);
    if (of === undefined || of.status === 'deleted') throw deleted();
    if (of.definition.machine?.provisioner !== undefined)
      throw new Refused(
        'checkpoint_unavailable',
        'The files cannot be copied, because each workspace of this template has a machine of its own.',
      );
    // No turn has changed files yet.
    const tree =
      row?.tree ??
      (await this.#visit(id, async ({ checkpoints }) => await checkpoints.save(uuidv7(), null)))
        .tree;
    return { of, tree };
  }

  /** The intent is stored before the first file changes, so that `finish` completes an interrupted restore. */
  async restore(chat: ChatRow, target: CheckpointRow, overwrite: boolean): Promise<CheckpointRow> {
    const chat_id = rootOf(chat);
    const { workspace_id } = target;
    await this.finish(chat, workspace_id);
    return await this.#visit(workspace_id, async (workspace) => {
      const state = await this.#state(chat_id, workspace_id);
      if (!state.is_idle) throw busy();
      const before = { id: uuidv7() };
      const present = await workspace.checkpoints.save(before.id, null);
      const conflicts = overwrite
        ? []
        : await workspace.checkpoints.conflicts({
            last: state.last_tree,
            present: present.tree,
            target: target.tree,
          });
      if (conflicts.length > 0) throw changedByOthers(conflicts);
      const { changes } = await workspace.checkpoints.diff(present.tree, target.tree);
      const [row] = await this.#database.query(beginRestore, {
        id: uuidv7(),
        chat_id,
        workspace_id,
        kind: 'restore',
        turn_message_id: state.turn_message_id,
        message_id: state.last_message_id,
        base_tree: present.tree,
        tree: target.tree,
        ...totals(changes),
        too_large: present.tooLarge,
        before_id: before.id,
        before_tree: present.tree,
      });
      if (row === undefined) throw busy();
      if (!(await workspace.checkpoints.restore(row.id, row.tree, present.tree))) {
        await this.#database.query(dropCheckpoints, { ids: [row.id, before.id] });
        throw new Refused(
          'files_changed',
          'Files changed during the restore, so nothing was restored. Stop the programs that change them, and try again.',
        );
      }
      await this.#database.query(endRestore, { id: row.id });
      return row;
    });
  }

  /** Takes back all changes since a user message. Does nothing if the chat does not have it. */
  async restoreBefore(chat: ChatRow, message_id: number): Promise<void> {
    const chat_id = rootOf(chat);
    const message = { chat_id: chat.id, id: message_id };
    const [found] = await this.#database.query(findMessage, message);
    if (found?.role !== 'user' || found.hidden) return;
    const [target] = await this.#database.query(checkpointBefore, { chat_id, message_id });
    if (target !== undefined) await this.restore(chat, target, false);
  }

  /** Why the workspace has no checkpoints, as far as this process knows. Null: it has. */
  async problem(workspaceId: string): Promise<string | null> {
    const known = this.#problems.get(workspaceId);
    if (known !== undefined) return known;
    const row = await this.#workspaces.find(workspaceId);
    return row?.definition.driver === 'docker' ? NO_CONTAINERS : null;
  }

  /** Waits for checkpoints that are being recorded. */
  async close(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #endTurn(
    chat_id: string,
    workspace_id: string,
    workspace: HostedWorkspace,
    turn: OpenTurn,
    { last_message_id }: { readonly last_message_id: number | null },
  ): Promise<void> {
    const [last] = await this.#database.query(lastTreeOfTurn, { chat_id, turn_id: turn.id });
    const saved = await this.#save(workspace_id, workspace, uuidv7(), turn.tree);
    await this.#database.query(endTurnCheckpoints, {
      ...saved,
      chat_id,
      workspace_id,
      kind: 'step',
      turn_message_id: turn.messageId,
      message_id: last_message_id,
      turn_id: turn.id,
      changed: saved.tree !== last?.tree,
    });
  }

  async #finishRestore(
    chat_id: string,
    workspaceId: string,
    workspace: HostedWorkspace,
  ): Promise<void> {
    const {
      open_restore_id: id,
      open_restore_tree: tree,
      open_restore_base: base,
    } = await this.#state(chat_id, workspaceId);
    if (id === null || tree === null || base === null) return;
    // If no file was changed yet, and files changed since, nothing is overwritten.
    const isDone = await workspace.checkpoints.restore(id, tree, base);
    if (isDone) await this.#database.query(endRestore, { id });
    else await this.#database.query(dropCheckpoints, { ids: [id] });
  }

  async #save(
    workspaceId: string,
    workspace: HostedWorkspace,
    id: string,
    base: string | null,
  ): Promise<
    Pick<
      NewCheckpoint,
      'id' | 'base_tree' | 'tree' | 'files' | 'additions' | 'deletions' | 'too_large'
    >
  > {
    try {
      const { tree, changes, tooLarge } = await workspace.checkpoints.save(id, base);
      this.#problems.delete(workspaceId);
      const base_tree = changes === null ? null : base;
      return { id, base_tree, tree, ...totals(changes ?? ''), too_large: tooLarge };
    } catch (error) {
      if (error instanceof CheckpointsUnavailable) this.#problems.set(workspaceId, error.message);
      throw error;
    }
  }

  /** After the earlier operations of the chat in this process. */
  #inOrder<T>(chatId: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#pending.get(chatId) ?? Promise.resolve()).then(act);
    const settled = done.catch(() => undefined);
    this.#pending.set(chatId, settled);
    const forget = () => {
      if (this.#pending.get(chatId) === settled) this.#pending.delete(chatId);
    };
    void settled.then(forget);
    return done;
  }

  async #state(chat_id: string, workspace_id: string) {
    return onlyRow(await this.#database.query(checkpointState, { chat_id, workspace_id }));
  }

  async #visit<T>(id: string, act: (workspace: HostedWorkspace) => Promise<T>): Promise<T> {
    const row = await this.#workspaces.find(id);
    if (row === undefined || row.status === 'deleted') throw deleted();
    try {
      return await this.#workspaces.visit(row, act);
    } catch (error) {
      if (error instanceof CheckpointsUnavailable)
        throw new Refused('checkpoint_unavailable', error.message);
      if (error instanceof MachineOffline) throw new Refused('machine_offline', error.message);
      if (error instanceof SandboxClosed) throw new Refused('workspace_not_ready', error.message);
      throw error;
    }
  }
}

function openTurnOf(state: {
  readonly open_turn_id: string | null;
  readonly open_turn_message_id: number | null;
  readonly open_turn_tree: string | null;
}): OpenTurn | undefined {
  const { open_turn_id: id, open_turn_tree: tree, open_turn_message_id: messageId } = state;
  return id === null || tree === null ? undefined : { id, tree, messageId };
}

export const rootOf = ({ id, root_chat_id }: Pick<ChatRow, 'id' | 'root_chat_id'>): string =>
  root_chat_id ?? id;

function totals(changes: string): Pick<NewCheckpoint, 'files' | 'additions' | 'deletions'> {
  const files = parseChanges(changes);
  const sum = (of: 'additions' | 'deletions') =>
    files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return { files: files.length, additions: sum('additions'), deletions: sum('deletions') };
}

const deleted = () =>
  new Refused('checkpoint_unavailable', 'The workspace was deleted with its checkpoints.');

const busy = () =>
  new Refused(
    'chat_active',
    'A turn is using the workspace. Wait until it has ended, or interrupt it, and restore again.',
  );

const MAX_NAMED = 3;

function changedByOthers(paths: readonly string[]): Refused {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return new Refused(
    'files_changed',
    `The restore would overwrite files that were changed since the last checkpoint: ${paths.slice(0, MAX_NAMED).join(', ')}${more}. Check them, then restore with overwrite.`,
    { errors: paths.map((path) => ({ path, message: 'was changed since the last checkpoint' })) },
  );
}
