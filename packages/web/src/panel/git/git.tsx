import type { Chat, GitRepository } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { GitBranch, RefreshCw } from 'lucide-react';
import { Link } from 'wouter';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { isOwn } from '../../state/access.ts';
import { Badge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { PanelBar } from '../panel-bar.tsx';
import type { PanelTabProps } from '../tabs.ts';
import { WorkspaceGate } from '../workspace-gate.tsx';
import { PullRequest } from './pull-request.tsx';
import { PullRequestForm } from './pull-request-form.tsx';
import { PushForm } from './push-form.tsx';
import { useGitChanges } from './use-git-changes.ts';

/** Checks and reviews change at the host. */
const AGAIN_MS = 15_000;

/** The branch of the chat, and its pull request. */
export default function GitTab({ chat }: PanelTabProps) {
  return (
    <WorkspaceGate chat={chat} what="A branch">
      {() => <Repositories chat={chat} />}
    </WorkspaceGate>
  );
}

function Repositories({ chat }: { readonly chat: Chat }) {
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery('getChatGit', { params: { chat_id: chat.id } }),
    refetchInterval: AGAIN_MS,
    staleTime: 0,
  });
  useGitChanges(chat.id, refetch);
  const onChanged = () => void refetch();
  return (
    <div className="flex h-full flex-col">
      <PanelBar>
        <p className="min-w-0 flex-1 px-1 text-sm text-muted">Branch and pull request</p>
        <IconButton label="Refresh" size="small" disabled={isFetching} onClick={onChanged}>
          {isFetching ? <Spinner /> : <RefreshCw />}
        </IconButton>
      </PanelBar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {error !== null && (
          <Notice kind="warn" className="m-3" title="The repositories cannot be shown">
            {explain(error)}
          </Notice>
        )}
        {data?.repositories.length === 0 && (
          <div className="p-4">
            <EmptyState icon={<GitBranch />} title="No Git repository">
              Branches and pull requests of repositories in the workspace appear here.
            </EmptyState>
          </div>
        )}
        {data?.repositories.map((repository) => (
          <Repository
            key={repository.path}
            chat={chat}
            repository={repository}
            onChanged={onChanged}
          />
        ))}
      </div>
    </div>
  );
}

function Repository({
  chat,
  repository,
  onChanged,
}: {
  readonly chat: Chat;
  readonly repository: GitRepository;
  readonly onChanged: () => void;
}) {
  const { path, branch, remote, pull_request, problem, pushed } = repository;
  const name = safeText(remote === null ? path : remote.repository);
  const connection = remote?.connection ?? null;
  const own = isOwn(chat);
  const hasWork = repository.uncommitted > 0 || repository.ahead > 0;
  const isDone = pull_request !== null && pull_request.state === 'open';
  return (
    <section aria-label={name} className="flex flex-col gap-3 border-b border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium wrap-anywhere">{name}</h3>
        {path !== '.' && <span className="text-sm text-muted">{safeText(path)}</span>}
      </div>
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <GitBranch aria-hidden className="size-4 text-muted" />
        <span dir="ltr" className="wrap-anywhere">
          {safeText(branch ?? 'no branch')}
        </span>
        <State repository={repository} />
      </p>
      {remote !== null && connection === null && (
        <Notice>
          {safeText(remote.host)} is not connected.{' '}
          {own ? (
            <Link href="/settings/git" className="underline">
              Connect it
            </Link>
          ) : (
            'The owner of the chat can connect it'
          )}{' '}
          to push and to open pull requests.
        </Notice>
      )}
      {problem !== null && (
        <Notice kind="warn" title="The pull request cannot be shown">
          {safeText(problem)}
        </Notice>
      )}
      {pull_request !== null && <PullRequest chat={chat} pullRequest={pull_request} />}
      {own && connection !== null && hasWork && (
        <PushForm
          key={repository.suggested_branch}
          chat={chat}
          repository={repository}
          onChanged={onChanged}
        />
      )}
      {own && connection !== null && connection !== 'other' && pushed && !hasWork && !isDone && (
        <PullRequestForm chat={chat} repository={repository} onChanged={onChanged} />
      )}
    </section>
  );
}

function State({ repository }: { readonly repository: GitRepository }) {
  const { ahead, behind, uncommitted, pushed } = repository;
  return (
    <>
      {!pushed && <Badge>not pushed</Badge>}
      {ahead > 0 && <Badge kind="info">{ahead} ahead</Badge>}
      {behind > 0 && <Badge kind="warn">{behind} behind</Badge>}
      {uncommitted > 0 && (
        <Badge>
          {uncommitted === 1 ? '1 uncommitted file' : `${uncommitted} uncommitted files`}
        </Badge>
      )}
    </>
  );
}
