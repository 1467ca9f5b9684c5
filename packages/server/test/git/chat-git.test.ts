import type { GitPullRequest } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { ChatGit, type ChatGitOptions, type GitChat } from '../../src/git/chat-git.ts';
import type { GitHost } from '../../src/git/hosts/git-host.ts';
import type { HostedWorkspace } from '../../src/machine/machine.ts';
import type { GitConnectionRow } from '../../src/store/queries/git.ts';

const of = {
  chat: { id: '0199aaaa-0000-7000-8000-00000000abcd', title: null },
  workspace: { id: 'w', owner_id: 'o' },
} as GitChat;
const pull = { number: 1, state: 'open' } as GitPullRequest;

/** A chat whose repository has this remote. `asked` has the repositories requested from the host. */
function chatGit(url: string) {
  const asked: string[] = [];
  const host: Partial<GitHost> = {
    refresh: () => undefined,
    find(repository) {
      asked.push(repository);
      return Promise.resolve(pull);
    },
  };
  const lines = ['./.', 'mine', 'main', 'a'.repeat(40), '1', '0', '0', '0', url, ''];
  const workspace: Pick<HostedWorkspace, 'run'> = {
    run({ onOutput }) {
      onOutput(Buffer.from(lines.join('\n')), 'stdout');
      const exit = Promise.resolve({ code: 0, signal: null });
      return Promise.resolve({ exit } as Awaited<ReturnType<HostedWorkspace['run']>>);
    },
  };
  const connection = {
    host: 'github.com',
    kind: 'github',
    repositories: ['acme/*'],
  } as unknown as GitConnectionRow;
  const git = new ChatGit({
    workspaces: {
      visit: (_: unknown, look: (one: HostedWorkspace) => unknown) =>
        look(workspace as HostedWorkspace),
    },
    connections: { find: () => Promise.resolve(connection), isShared: () => false },
    hosts: { of: () => host },
    changes: { shown: () => undefined },
  } as unknown as ChatGitOptions);
  return { git, asked };
}

test('the API is called only for repositories that the connection allows', async () => {
  const allowed = chatGit('git@github.com:acme/.github.git');
  const [shown] = (await allowed.git.status(of)).repositories;
  expect(shown).toMatchObject({ pull_request: pull, problem: null });
  expect(allowed.asked).toEqual(['acme/.github']);

  const { git, asked } = chatGit('https://github.com/other/private');
  const [hidden] = (await git.status(of)).repositories;
  expect(hidden).toMatchObject({
    pull_request: null,
    problem: expect.stringContaining('does not allow the repository other/private'),
  });
  await expect(git.openPullRequest(of, { title: 'x' })).rejects.toMatchObject({
    code: 'git_not_connected',
  });
  expect(asked).toEqual([]);
});

test.each([
  'git@github.com:acme/../../user/repos',
  'git@github.com:acme/shop/pulls?state=all&x=',
  'git@github.com:acme/shop#',
  'git@github.com:acme/%2e%2e/other',
  'git@github.com:acme/shop/.',
  `git@github.com:acme/${'x'.repeat(2000)}`,
])('the remote %s, which programs in the workspace choose, does not reach the API', async (url) => {
  const { git, asked } = chatGit(url);
  const [shown] = (await git.status(of)).repositories;
  expect(shown).toMatchObject({ remote: null, pull_request: null });
  await expect(git.openPullRequest(of, { title: 'x' })).rejects.toMatchObject({
    code: 'git_not_connected',
  });
  expect(asked).toEqual([]);
});
