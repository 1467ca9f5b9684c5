import { type LocalTool, tool } from '@chatd/loop';
import { z } from 'zod';

/** The list is the call itself, as it stands in the history: whoever shows it looks for the last one. */
export const todoWrite: LocalTool = tool({
  name: 'todo_write',
  description:
    'Keeps a list of what is to be done, which the user sees. Give the whole list each time: the last one counts. Use it for work of several steps; keep one item in progress, and mark each as completed as soon as it is.',
  input: z.strictObject({
    todos: z
      .array(
        z.strictObject({
          content: z.string().trim().min(1).max(500),
          status: z.enum(['pending', 'in_progress', 'completed']),
        }),
      )
      .max(100),
  }),
  idempotent: true,
  run({ todos }) {
    const done = todos.filter(({ status }) => status === 'completed').length;
    const current = todos.find(({ status }) => status === 'in_progress');
    const next = current === undefined ? '' : ` In progress: ${current.content}`;
    return `${done} of ${todos.length} done.${next}`;
  },
});
