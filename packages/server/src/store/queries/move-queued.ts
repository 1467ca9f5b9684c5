import { statement } from '../statement.ts';

export const moveQueued = statement<never>(
  'move-queued',
  `UPDATE queued_messages
      SET position = moved.position
     FROM unnest($2::bigint[], $3::integer[]) AS moved (id, position)
    WHERE queued_messages.chat_id = $1 AND queued_messages.id = moved.id`,
);
