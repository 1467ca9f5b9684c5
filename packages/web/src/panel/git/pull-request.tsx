import type { Chat, GitPullRequest } from '@chatd/protocol';
import { GitPullRequest as Icon } from 'lucide-react';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { useCanEdit } from '../../state/access.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isSafeAddress } from '../../ui/safe-address.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.ts';
import { reviewMessage } from './review-message.ts';
import { useAction } from './use-action.ts';

const STATES: Readonly<Record<GitPullRequest['state'], BadgeKind>> = {
  open: 'good',
  merged: 'info',
  closed: 'bad',
};
const CHECKS: Readonly<Record<GitPullRequest['checks'][number]['status'], BadgeKind>> = {
  pending: 'warn',
  success: 'good',
  failure: 'bad',
  neutral: 'plain',
};
const DECISIONS: Readonly<
  Record<GitPullRequest['reviews'][number]['decision'], readonly [string, BadgeKind]>
> = {
  approved: ['approved', 'good'],
  changes_requested: ['changes requested', 'bad'],
  commented: ['commented', 'plain'],
};

export function PullRequest({
  chat,
  pullRequest,
}: {
  readonly chat: Chat;
  readonly pullRequest: GitPullRequest;
}) {
  const { number, title, url, state, draft, base, checks, reviews, comments } = pullRequest;
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Icon aria-hidden className="size-4 text-muted" />
        <External href={url}>
          {safeText(title)} #{number}
        </External>
        <Badge kind={STATES[state]}>{draft && state === 'open' ? 'draft' : state}</Badge>
        <span className="text-sm text-muted">into {safeText(base)}</span>
      </p>
      {checks.length > 0 && (
        <List label="Checks">
          {checks.map(({ name, status, url: details }) => (
            <li key={name} className="flex items-center gap-2">
              <Badge kind={CHECKS[status]}>{status}</Badge>
              {details === null ? (
                safeText(name)
              ) : (
                <External href={details}>{safeText(name)}</External>
              )}
            </li>
          ))}
        </List>
      )}
      {reviews.length > 0 && (
        <List label="Reviews">
          {reviews.map(({ author, decision }) => {
            const [word, kind] = DECISIONS[decision];
            return (
              <li key={author} className="flex items-center gap-2">
                <Badge kind={kind}>{word}</Badge>
                {safeText(author)}
              </li>
            );
          })}
        </List>
      )}
      {comments.length > 0 && <Comments chat={chat} pullRequest={pullRequest} />}
    </div>
  );
}

function Comments({
  chat,
  pullRequest,
}: {
  readonly chat: Chat;
  readonly pullRequest: GitPullRequest;
}) {
  const { comments } = pullRequest;
  const canEdit = useCanEdit();
  const { busy, problem, run } = useAction(() => toast.success('Sent to the agent'));
  const send = () =>
    client.call('sendMessage', {
      params: { chat_id: chat.id },
      body: { content: reviewMessage(pullRequest) },
    });
  return (
    <>
      <List label="Unresolved comments">
        {comments.map(({ author, path, line, body, url }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- comments have no other identity
          <li key={index} className="flex flex-col gap-0.5">
            <p className="text-muted">
              <External href={url}>{safeText(author)}</External>
              {path !== null && ` on ${safeText(path)}${line === null ? '' : `:${line}`}`}
            </p>
            <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
              {safeText(body)}
            </p>
          </li>
        ))}
      </List>
      {problem !== undefined && (
        <Notice kind="bad" live title="The comments could not be sent">
          {problem}
        </Notice>
      )}
      {canEdit && (
        <div>
          <Button disabled={busy} onClick={() => void run(send)}>
            {busy && <Spinner />}
            Address review comments
          </Button>
        </div>
      )}
    </>
  );
}

const List = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="flex flex-col gap-1 text-sm">
    <h4 className="font-medium">{label}</h4>
    <ul aria-label={label} className="flex flex-col gap-1.5">
      {children}
    </ul>
  </div>
);

/** The URL comes from the host. */
const External = ({ href, children }: { readonly href: string; readonly children: ReactNode }) =>
  isSafeAddress(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer" className="underline wrap-anywhere">
      {children}
    </a>
  ) : (
    <span className="wrap-anywhere">{children}</span>
  );
