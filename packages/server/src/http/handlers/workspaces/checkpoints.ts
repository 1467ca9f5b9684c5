import { presentCheckpoint } from '../../../entities/workspaces/present-checkpoint.ts';
import { LEFT_OUT } from '../../../machine/checkpoints/store-files.ts';
import { listCheckpoints } from '../../../store/queries/checkpoints.ts';
import { rootOf } from '../../../workspaces/checkpoints/checkpoints.ts';
import type { HandlersOf } from '../../call.ts';
import { decodeCursor, IdCursor, page } from '../../request/cursor.ts';
import type { Services } from '../../services.ts';
import { requireWorkspaces } from './workspaces.ts';

export function checkpointHandlers({ checkpoints }: Services): HandlersOf<'Checkpoints'> {
  const enabled = () => requireWorkspaces(checkpoints);

  return {
    async listCheckpoints({ found: { chat }, query, db }) {
      const { workspace_id } = chat;
      if (workspace_id !== null) await enabled().finish(chat, workspace_id);
      const after = decodeCursor(IdCursor, query.cursor);
      const found = await db.query(listCheckpoints, {
        chat_id: rootOf(chat),
        before_id: after?.id ?? null,
        limit: query.limit + 1,
      });
      const { rows, next_cursor } = page(found, query.limit, ({ id }) => ({ id }));
      return {
        status: 200,
        body: {
          checkpoints: rows.map(presentCheckpoint),
          next_cursor,
          unavailable: workspace_id === null ? null : await enabled().problem(workspace_id),
          left_out: [...LEFT_OUT],
        },
      };
    },

    async getCheckpointDiff({ found, params }) {
      const row = await enabled().find(found.chat, params.checkpoint_id);
      return { status: 200, body: await enabled().diff(row) };
    },

    async restoreCheckpoint({ found, params, body }) {
      const target = await enabled().find(found.chat, params.checkpoint_id);
      const row = await enabled().restore(found.chat, target, body.overwrite);
      return { status: 200, body: presentCheckpoint(row) };
    },
  };
}
