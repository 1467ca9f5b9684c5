import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import { agentTool } from '../agent-tool.ts';

/** The list is stored as the call in the history. Clients show the latest one. */
export const todoWrite: LocalTool = agentTool({
  name: 'todo_write',
  description:
    'Maintain a todo list that the user sees. Pass the whole list each time; it replaces the previous one. Use it for tasks of several steps. Keep one item in progress, and mark each item as completed when it is done.',
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
  readOnly: true,
  forDesktops: true,
  run({ todos }) {
    const done = todos.filter(({ status }) => status === 'completed').length;
    const current = todos.find(({ status }) => status === 'in_progress');
    const next = current === undefined ? '' : ` In progress: ${current.content}`;
    return `${done} of ${todos.length} done.${next}`;
  },
});
