import type { ChatRow } from './row.ts';

export interface Sender {
  readonly id: string;
  readonly username: string;
}

/** Who sends a message. The model gets the name of a sender who does not own the chat. */
export const authorIn = (
  { owner_id }: Pick<ChatRow, 'owner_id'>,
  { id, username }: Sender,
): { readonly created_by: string; readonly author: string | null } => ({
  created_by: id,
  author: id === owner_id ? null : username,
});
