export interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly created_at: Date;
  /** The chats that use the file, without deleted ones. */
  readonly chat_ids: readonly string[];
}
