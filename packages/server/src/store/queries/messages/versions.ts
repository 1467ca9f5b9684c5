import type { OpenCall } from '../../../chat/row.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';

/* The caller of a statement that writes holds the lock of the chat. */

/** A point of a history: a message as of a revision. 0: the beginning. */
interface PointParams {
  readonly chat_id: string;
  readonly after_id: number;
  readonly after_revision: number;
}

const AT_POINT = `chat_id = :chat_id AND after_id = :after_id AND after_revision = :after_revision`;

const COLUMNS = `id, role, revision, hidden, content, meta, created_at, created_by, model_config_id, usage,
  cost_micros, runtime_ms, queued_message_id`;

/** Names what follows a point as its current version, unless nothing follows or it has a name. */
export const nameCurrentVersion = statement<PointParams, never>(
  'name-current-version',
  `INSERT INTO chat_versions (chat_id, after_id, after_revision, is_current)
   SELECT :chat_id, :after_id, :after_revision, true
    WHERE EXISTS (SELECT FROM messages WHERE chat_id = :chat_id AND id > :after_id)
   ON CONFLICT DO NOTHING`,
);

/**
 * Copies what follows a point to its current version, which is then a stored one. Where nothing follows, only if it is
 * :even_empty: another version becomes the current one.
 */
export const storeVersion = statement<
  PointParams & { open_calls: JsonText; interrupted: boolean; even_empty: boolean },
  never
>(
  'store-version',
  `WITH version AS (
     UPDATE chat_versions SET is_current = false, open_calls = :open_calls, interrupted = :interrupted
      WHERE ${AT_POINT} AND is_current
        AND (:even_empty OR EXISTS (
              SELECT FROM messages WHERE messages.chat_id = :chat_id AND messages.id > :after_id))
     RETURNING id
   )
   INSERT INTO version_messages (version_id, ${COLUMNS})
   SELECT (SELECT id FROM version), ${COLUMNS}
     FROM messages
    WHERE chat_id = :chat_id AND id > :after_id AND EXISTS (SELECT FROM version)`,
);

/** The version that the next messages belong to. A point without other versions needs none. */
export const beginVersion = statement<PointParams, never>(
  'begin-version',
  `INSERT INTO chat_versions (chat_id, after_id, after_revision, is_current)
   SELECT :chat_id, :after_id, :after_revision, true
    WHERE EXISTS (SELECT FROM chat_versions WHERE ${AT_POINT})
   ON CONFLICT DO NOTHING`,
);

/** Moves the messages of a stored version back, with their ids. They are not committed a second time. */
export const restoreVersion = statement<{ chat_id: string; version_id: number }, never>(
  'restore-version',
  `WITH version AS (
     UPDATE chat_versions SET is_current = true WHERE id = :version_id
   ), stored AS (
     DELETE FROM version_messages WHERE version_id = :version_id RETURNING ${COLUMNS}
   )
   INSERT INTO messages (chat_id, ${COLUMNS}) OVERRIDING SYSTEM VALUE
   SELECT :chat_id, ${COLUMNS} FROM stored ORDER BY id`,
);

/** Restored messages have lower ids than messages that may be waiting for the indexer. */
export const indexAfter = statement<{ chat_id: string; after_id: number }, never>(
  'index-after',
  `UPDATE search_pending SET from_id = least(from_id, :after_id::bigint + 1) WHERE chat_id = :chat_id`,
);

/** The point is in the history. */
const REACHABLE = `(version.after_id = 0 OR EXISTS (
  SELECT FROM messages
   WHERE messages.chat_id = version.chat_id AND messages.id = version.after_id
     AND messages.revision = version.after_revision))`;

export const findVersion = statement<
  { chat_id: string; id: number },
  {
    readonly id: number;
    readonly after_id: number;
    readonly after_revision: number;
    readonly is_current: boolean;
    readonly open_calls: readonly OpenCall[];
    readonly interrupted: boolean;
  }
>(
  'find-version',
  `SELECT id, after_id, after_revision, is_current, open_calls, interrupted
     FROM chat_versions AS version
    WHERE version.chat_id = :chat_id AND version.id = :id AND ${REACHABLE}`,
);

export interface VersionRow {
  readonly id: number;
  readonly after_id: number;
  readonly is_current: boolean;
  readonly created_at: Date;
  /** The first message. Null: none is committed yet. */
  readonly message_id: number | null;
  /** The beginning of its text. Null: it has none. */
  readonly text: string | null;
}

/** Of a version, in characters. The messages of all versions together may be large. */
const TEXT_LENGTH = 200;

/** The versions of all points of the history, in the order of the history, oldest version first. */
export const listVersions = statement<{ chat_id: string }, VersionRow>(
  'list-versions',
  `SELECT version.id, version.after_id, version.is_current, version.created_at,
          first.id AS message_id,
          (SELECT left(ltrim(string_agg(part ->> 'text', ''), E' \\n\\r\\t'), ${TEXT_LENGTH})
             FROM json_array_elements(first.content) AS part
            WHERE part ->> 'type' = 'text') AS text
     FROM chat_versions AS version
     LEFT JOIN LATERAL (
       (SELECT id, content FROM messages
         WHERE version.is_current AND chat_id = version.chat_id AND id > version.after_id AND NOT hidden
         ORDER BY id LIMIT 1)
       UNION ALL
       (SELECT id, content FROM version_messages
         WHERE NOT version.is_current AND version_id = version.id AND NOT hidden
         ORDER BY id LIMIT 1)
     ) AS first ON true
    WHERE version.chat_id = :chat_id AND ${REACHABLE}
    ORDER BY version.after_id, version.id`,
);
