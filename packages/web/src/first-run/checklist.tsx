import type { User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { apiQuery } from '../api/queries.ts';
import { useCell } from '../state/cell.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ConnectModel } from './connect-model.tsx';
import type { Models } from './use-models.ts';

const HIDDEN = 'chatd.checklist-hidden';

interface Item {
  readonly title: string;
  readonly done: boolean;
  readonly about: ReactNode;
  readonly href?: string;
  readonly optional?: true;
  /** Shown until it is done. */
  readonly form?: ReactNode;
}

/** The first steps of an admin. Each is done when the server says so. Hidden when all required ones are. */
export function Checklist({ user, models }: { readonly user: User; readonly models: Models }) {
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  const { data: users } = useQuery(apiQuery('listUsers', { query: { limit: 2 } }));
  const chats = useCell(useChatList().chats);
  if (hidden || users === undefined) return null;
  const items: readonly Item[] = [
    {
      title: 'Connect a model',
      done: models === 'real',
      about:
        models === 'demo'
          ? 'Until then, the built-in demo model gives scripted answers.'
          : 'No model is enabled, so chats cannot be answered.',
      form: <ConnectModel />,
    },
    { title: 'Start a chat', done: chats.size > 0, about: 'Type a message above.' },
    {
      title: 'Set a password',
      done: user.has_password,
      about: 'You signed in with a link, which works once.',
      href: '/settings/account',
    },
    {
      title: 'Add users',
      done: users.users.length > 1,
      about: 'Each user has their own chats and limits.',
      href: '/settings/users',
      optional: true,
    },
  ];
  if (items.every(({ done, optional }) => done || optional === true)) return null;
  const hide = () => {
    localStorage.setItem(HIDDEN, '1');
    setHidden(true);
  };
  return (
    <section
      aria-labelledby="checklist"
      className="rounded-2xl border border-line bg-surface px-4 pt-2 pb-3"
    >
      <header className="flex items-center gap-2">
        <h2 id="checklist" className="flex-1 font-semibold">
          Get started
        </h2>
        <span className="text-sm text-muted tabular-nums">
          {items.filter(({ done }) => done).length} of {items.length} done
        </span>
        <IconButton label="Hide checklist" size="small" onClick={hide}>
          <X />
        </IconButton>
      </header>
      <ul className="flex flex-col">
        {items.map((item) => (
          <ChecklistItem key={item.title} {...item} />
        ))}
      </ul>
    </section>
  );
}

function ChecklistItem({ title, done, about, href, optional, form }: Item) {
  return (
    <li className="flex gap-3 py-1.5">
      <span
        aria-hidden
        className={cx(
          'mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border',
          done ? 'border-transparent bg-good-surface text-good' : 'border-line-strong',
        )}
      >
        {done && <Check className="size-3.5" />}
      </span>
      <div className="min-w-0 flex-1">
        <p className={cx(done && 'text-muted')}>
          {href === undefined || done ? (
            <span className="font-medium">{title}</span>
          ) : (
            <Link href={href} className="font-medium underline underline-offset-2">
              {title}
            </Link>
          )}
          {done && <span className="sr-only"> (done)</span>}
          {optional === true && !done && <span className="text-sm text-muted"> (optional)</span>}
        </p>
        {!done && <p className="text-sm text-muted">{about}</p>}
        {!done && form !== undefined && <div className="mt-2">{form}</div>}
      </div>
    </li>
  );
}
