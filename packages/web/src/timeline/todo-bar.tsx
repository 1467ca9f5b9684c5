import { ChevronDown, ListTodo } from 'lucide-react';
import { useId, useState } from 'react';
import { safeText } from '../markdown/safe-text.ts';
import { type ReadableCell, useCell, useDeferredCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { cx } from '../ui/class-names.ts';
import { type Todo, TodoList, todosOf } from './tools/cards/todos.tsx';
import type { ToolView } from './tools/tool-view.ts';

const TODO_TOOL = 'todo_write';

/** The agent's to-do list above the messages, while its turn runs. */
export function TodoBar({ store }: { readonly store: ChatStore }) {
  const status = useDeferredCell(store.status);
  const idle = status === 'waiting' || status === 'error';
  const messages = useDeferredCell(store.messages);
  const live = useDeferredCell(store.live.list);
  if (idle) return null;
  const calls = [
    ...messages
      .slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
      .flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'tool-call' ? [part.tool_call_id] : [])),
      ),
    ...live.flatMap((piece) => (piece.kind === 'call' ? [piece.callId] : [])),
  ];
  const view = calls
    .toReversed()
    .map((id) => store.tools.view(id))
    .find((call) => call?.get().call.tool_name === TODO_TOOL);
  return view === undefined ? null : <Bar view={view} />;
}

function Bar({ view }: { readonly view: ReadableCell<ToolView> }) {
  const todos = todosOf(useCell(view));
  const [open, setOpen] = useState(false);
  const id = useId();
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <section
      aria-label="To-do list"
      className="relative z-10 shrink-0 border-b border-line bg-surface text-sm"
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="mx-auto flex h-9 w-full max-w-3xl min-w-0 items-center gap-2 px-3 text-left focus-visible:-outline-offset-2 md:px-6 pointer-coarse:h-11"
      >
        <ListTodo aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="shrink-0 text-muted tabular-nums">
          {done} of {todos.length} done
        </span>
        <span className="min-w-0 flex-1 truncate font-medium">{currentOf(todos)}</span>
        <ChevronDown
          aria-hidden
          className={cx('size-4 shrink-0 text-muted transition-transform', open && 'rotate-180')}
        />
      </button>
      {open && (
        <div
          id={id}
          className="absolute inset-x-0 top-full max-h-72 overflow-y-auto border-b border-line bg-surface shadow-pop"
        >
          <div className="mx-auto max-w-3xl md:px-3">
            <TodoList todos={todos} />
          </div>
        </div>
      )}
    </section>
  );
}

/** What the agent works on, or what comes next. */
const currentOf = (todos: readonly Todo[]): string =>
  safeText(
    (
      todos.find(({ status }) => status === 'in_progress') ??
      todos.find(({ status }) => status === 'pending')
    )?.content ?? '',
  );
