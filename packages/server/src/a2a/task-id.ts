import { parseStartCode, startCode, type TurnRef } from '../protocols/turn-ref.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TASK = new RegExp(`^(${UUID})-([mq].*)$`);
const CONTEXT = new RegExp(`^${UUID}$`);

export const taskId = ({ chatId, start }: TurnRef): string => `${chatId}-${startCode(start)}`;

/** Undefined: not an id of this server. */
export function parseTaskId(id: string): TurnRef | undefined {
  const [, chatId = '', code = ''] = TASK.exec(id) ?? [];
  const start = parseStartCode(code);
  return start && { chatId, start };
}

/** A context is a chat. */
export const isContextId = (id: string): boolean => CONTEXT.test(id);
