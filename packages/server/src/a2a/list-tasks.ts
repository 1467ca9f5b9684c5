import type { Message } from '@chatd/protocol';
import { startOf, type StartPoint } from '../protocols/turn-ref.ts';
import { TaskTurn } from './task-turn.ts';

/** The tasks of a history, oldest first. Only the last one can be unfinished. */
export function tasksIn(chatId: string, origin: string, messages: readonly Message[]): TaskTurn[] {
  const tasks: TaskTurn[] = [];
  for (const message of messages) {
    tasks.at(-1)?.take({ type: 'message', message });
    if (message.role !== 'user' || tasks.at(-1)?.isOver === false) continue;
    const task = new TaskTurn(chatId, origin, startOf(message));
    task.take({ type: 'message', message });
    tasks.push(task);
  }
  return tasks;
}

/** The message that began the newest task. Undefined: none of these messages did. */
export function newestStart(messages: readonly Message[]): StartPoint | undefined {
  const message = messages.findLast(({ role, steered }) => role === 'user' && steered !== true);
  return message && startOf(message);
}
