/** The message that begins a task. */
export type TaskStart =
  /** A message of the history. */
  | { readonly kind: 'message'; readonly id: number }
  /** A message that was queued, by its id in the queue. */
  | { readonly kind: 'queued'; readonly id: number };

export interface TaskRef {
  readonly chatId: string;
  readonly start: TaskStart;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TASK = new RegExp(`^(${UUID})-([mq])([1-9][0-9]{0,15})$`);
const CONTEXT = new RegExp(`^${UUID}$`);

export const taskId = ({ chatId, start }: TaskRef): string =>
  `${chatId}-${start.kind === 'queued' ? 'q' : 'm'}${start.id}`;

/** Undefined: not an id of this server. */
export function parseTaskId(id: string): TaskRef | undefined {
  const [, chatId, letter, number] = TASK.exec(id) ?? [];
  if (chatId === undefined) return undefined;
  return { chatId, start: { kind: letter === 'q' ? 'queued' : 'message', id: Number(number) } };
}

/** A context is a chat. */
export const isContextId = (id: string): boolean => CONTEXT.test(id);
