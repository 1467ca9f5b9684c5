import type { CheckpointRow } from '../checkpoints.ts';
import { statement } from '../statement.ts';

const COLUMNS = `id, workspace_id, kind, turn_message_id, message_id, base_tree, tree, files, additions, deletions, too_large,
  is_open, created_at`;

/** Newest first, through checkpoints_by_chat. */
export const listCheckpoints = statement<
  { chat_id: string; before_id: string | null; limit: number },
  CheckpointRow
>(
  'list-checkpoints',
  `SELECT ${COLUMNS} FROM checkpoints
    WHERE chat_id = :chat_id AND (:before_id::uuid IS NULL OR id < :before_id)
    ORDER BY id DESC LIMIT :limit`,
);

export const findCheckpoint = statement<{ id: string; chat_id: string }, CheckpointRow>(
  'find-checkpoint',
  `SELECT ${COLUMNS} FROM checkpoints WHERE id = :id AND chat_id = :chat_id`,
);

/** The files before the first change since a message. No row: nothing changed. */
export const checkpointBefore = statement<{ chat_id: string; message_id: number }, CheckpointRow>(
  'checkpoint-before',
  `SELECT ${COLUMNS} FROM checkpoints
    WHERE chat_id = :chat_id AND turn_message_id >= :message_id AND kind IN ('before_turn', 'before_restore')
    ORDER BY id LIMIT 1`,
);

/**
 * The files when a message was the last one: those of the newest checkpoint until then, or before the first change. A turn
 * begins with its user message.
 */
export const checkpointAt = statement<{ chat_id: string; message_id: number }, CheckpointRow>(
  'checkpoint-at',
  `SELECT ${COLUMNS}
     FROM (SELECT *, CASE kind WHEN 'before_turn' THEN turn_message_id ELSE message_id END <= :message_id AS is_known
             FROM checkpoints WHERE chat_id = :chat_id) known
    ORDER BY is_known DESC NULLS LAST, CASE WHEN is_known THEN id END DESC, id LIMIT 1`,
);

/** What a new checkpoint follows: the user message of the turn, the last state of the workspace, and what is open. */
export const checkpointState = statement<
  { chat_id: string; workspace_id: string },
  {
    turn_message_id: number | null;
    last_message_id: number | null;
    is_idle: boolean;
    last_tree: string | null;
    open_turn_id: string | null;
    open_turn_workspace_id: string | null;
    open_turn_message_id: number | null;
    open_turn_tree: string | null;
    open_restore_id: string | null;
    open_restore_tree: string | null;
    open_restore_base: string | null;
  }
>(
  'checkpoint-state',
  `SELECT (SELECT id FROM messages WHERE chat_id = :chat_id AND role = 'user' ORDER BY id DESC LIMIT 1) AS turn_message_id,
          (SELECT max(id) FROM messages WHERE chat_id = :chat_id) AS last_message_id,
          coalesce((SELECT status IN ('waiting', 'error') FROM chats WHERE id = :chat_id), true) AS is_idle,
          (SELECT tree FROM checkpoints WHERE workspace_id = :workspace_id ORDER BY id DESC LIMIT 1) AS last_tree,
          turn.id AS open_turn_id, turn.workspace_id AS open_turn_workspace_id,
          turn.turn_message_id AS open_turn_message_id, turn.tree AS open_turn_tree,
          restore.id AS open_restore_id, restore.tree AS open_restore_tree,
          restore.base_tree AS open_restore_base
     FROM (VALUES (1)) AS one
     LEFT JOIN checkpoints turn ON turn.chat_id = :chat_id AND turn.is_open AND turn.kind = 'before_turn'
     LEFT JOIN checkpoints restore
       ON restore.workspace_id = :workspace_id AND restore.is_open AND restore.kind = 'restore'`,
);

export interface NewCheckpoint {
  id: string;
  chat_id: string;
  workspace_id: string;
  kind: string;
  turn_message_id: number | null;
  message_id: number | null;
  base_tree: string | null;
  tree: string;
  files: number;
  additions: number;
  deletions: number;
  too_large: readonly string[];
}

const VALUES = `:id, :chat_id, :workspace_id, :kind, :turn_message_id, :message_id, :base_tree, :tree, :files, :additions,
  :deletions, :too_large`;
const INSERT = `INSERT INTO checkpoints (id, chat_id, workspace_id, kind, turn_message_id, message_id, base_tree, tree, files,
  additions, deletions, too_large, is_open)`;

/** No row: the turn has begun already. */
export const beginTurnCheckpoints = statement<NewCheckpoint, { id: string }>(
  'begin-turn-checkpoints',
  `${INSERT} VALUES (${VALUES}, true) ON CONFLICT DO NOTHING RETURNING id`,
);

/** Does nothing if the turn has ended: its last checkpoint has the same files. */
export const addCheckpoint = statement<NewCheckpoint & { turn_id: string }, never>(
  'add-checkpoint',
  `${INSERT} SELECT ${VALUES}, false FROM checkpoints turn WHERE turn.id = :turn_id AND turn.is_open`,
);

/** Ends a turn whose chat is idle. Of several callers, one adds the last checkpoint, and only if files changed. */
export const endTurnCheckpoints = statement<
  NewCheckpoint & { turn_id: string; changed: boolean },
  { id: string }
>(
  'end-turn-checkpoints',
  `WITH ended AS (
     UPDATE checkpoints SET is_open = false WHERE id = :turn_id AND is_open RETURNING id
   ), added AS (
     ${INSERT} SELECT ${VALUES}, false FROM ended WHERE :changed
   )
   SELECT id FROM ended`,
);

/** Ends a turn whose last files are recorded. */
export const closeTurnCheckpoints = statement<{ id: string }, never>(
  'close-turn-checkpoints',
  `UPDATE checkpoints SET is_open = false WHERE id = :id`,
);

/** The tree of the last checkpoint of a turn. */
export const lastTreeOfTurn = statement<{ chat_id: string; turn_id: string }, { tree: string }>(
  'last-tree-of-turn',
  `SELECT tree FROM checkpoints WHERE chat_id = :chat_id AND id >= :turn_id AND kind IN ('before_turn', 'step')
    ORDER BY id DESC LIMIT 1`,
);

/** No row: the workspace is in use by a turn, or another restore is open. */
export const beginRestore = statement<
  NewCheckpoint & { before_id: string; before_tree: string },
  CheckpointRow
>(
  'begin-restore',
  `WITH busy AS (
     SELECT 1 FROM chats
      WHERE chats.id = :chat_id AND chats.status NOT IN ('waiting', 'error')
     UNION ALL
     SELECT 1 FROM chats JOIN chats used ON used.id = coalesce(chats.root_chat_id, chats.id)
      WHERE used.workspace_id = :workspace_id AND chats.status IN ('running', 'interrupting')
   ), before AS (
     INSERT INTO checkpoints (id, chat_id, workspace_id, kind, turn_message_id, message_id, base_tree, tree, files,
       additions, deletions)
     SELECT :before_id, :chat_id, :workspace_id, 'before_restore', :turn_message_id, :message_id, NULL, :before_tree, 0, 0, 0
      WHERE NOT EXISTS (SELECT 1 FROM busy)
     RETURNING 1
   )
   ${INSERT} SELECT ${VALUES}, true FROM before ON CONFLICT DO NOTHING
   RETURNING ${COLUMNS}`,
);

export const endRestore = statement<{ id: string }, never>(
  'end-restore',
  `UPDATE checkpoints SET is_open = false WHERE id = :id`,
);

export const dropCheckpoints = statement<{ ids: readonly string[] }, never>(
  'drop-checkpoints',
  `DELETE FROM checkpoints WHERE id = ANY (:ids::uuid[])`,
);

/** Checkpoints of purged chats in the workspaces of a machine, through checkpoints_removed. */
export const removedCheckpoints = statement<
  { host_id: string },
  { workspace_id: string; ids: readonly string[]; kept: readonly string[] }
>(
  'removed-checkpoints',
  `SELECT removed.workspace_id, removed.ids,
          ARRAY(SELECT id::text FROM checkpoints
                 WHERE workspace_id = removed.workspace_id AND chat_id IS NOT NULL) AS kept
     FROM (SELECT c.workspace_id, array_agg(c.id::text) AS ids
             FROM checkpoints c JOIN workspaces w ON w.id = c.workspace_id
            WHERE c.chat_id IS NULL AND w.host_id = :host_id AND w.status IN ('ready', 'stopped')
            GROUP BY c.workspace_id LIMIT 5) removed`,
);
