import type { Branch } from '@chatd/protocol';
import type { VersionRow } from '../store/queries/messages/versions.ts';

/** The versions by the message before them. The rows are in that order. */
export function presentVersions(rows: readonly VersionRow[]): Branch[] {
  const branches: Branch[] = [];
  for (const { id, after_id, is_current, created_at, message_id, text } of rows) {
    const after_message_id = after_id === 0 ? null : after_id;
    const version = {
      id,
      current: is_current,
      message_id,
      text: text?.trimEnd() ?? '',
      created_at: created_at.toISOString(),
    };
    const last = branches.at(-1);
    if (last?.after_message_id === after_message_id) last.versions.push(version);
    else branches.push({ after_message_id, versions: [version] });
  }
  return branches;
}
