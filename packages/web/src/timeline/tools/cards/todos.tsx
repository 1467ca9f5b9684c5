import { Circle, CircleCheck, CircleDot, ListTodo } from 'lucide-react';
import { safeText } from '../../../markdown/safe-text.ts';
import { cx } from '../../../ui/class-names.ts';
import type { ToolKind } from '../tool-kind.ts';
import { argumentsOf, objectsIn } from '../read-view.ts';
import type { ToolCardProps, ToolView } from '../tool-view.ts';

export const todoWrite: ToolKind = {
  icon: <ListTodo />,
  verb: ['update the to-do list:', 'updating the to-do list:', 'to-do list:'],
  about(view) {
    const todos = todosOf(view);
    const done = todos.filter(({ status }) => status === 'completed').length;
    return `${done} of ${todos.length} done`;
  },
  Body: Todos,
  hasBody: (view) => todosOf(view).length > 0,
};

const STATES = {
  pending: { icon: <Circle />, words: 'to do', look: '' },
  in_progress: {
    icon: <CircleDot className="text-info" />,
    words: 'in progress',
    look: 'font-medium',
  },
  completed: { icon: <CircleCheck className="text-good" />, words: 'done', look: 'text-muted' },
};

export interface Todo {
  readonly content: string;
  readonly status: keyof typeof STATES;
}

export const todosOf = (view: ToolView): Todo[] =>
  objectsIn(argumentsOf(view)['todos']).flatMap(({ content, status }) => {
    if (typeof content !== 'string') return [];
    const known = status === 'in_progress' || status === 'completed' ? status : 'pending';
    return [{ content, status: known }];
  });

function Todos({ view }: ToolCardProps) {
  return <TodoList todos={todosOf(view)} />;
}

export function TodoList({ todos }: { readonly todos: readonly Todo[] }) {
  return (
    <ul className="px-3 py-2 text-sm">
      {todos.map(({ content, status }) => (
        <li key={content} className={cx('flex gap-2 py-0.5', STATES[status].look)}>
          <span className="mt-0.5 [&_svg]:size-4">{STATES[status].icon}</span>
          <span className="sr-only">{STATES[status].words}: </span>
          <span className="min-w-0 wrap-anywhere">{safeText(content)}</span>
        </li>
      ))}
    </ul>
  );
}
