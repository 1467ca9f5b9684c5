import type { LocalTool } from '@chatd/loop';
import { z } from 'zod';
import type { ChatRow } from '../../chat/row.ts';
import { knownSecrets } from '../../secrets/secret-values.ts';
import type { Queryable } from '../../store/statement.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { redactingTool } from '../../tools/redacting-tool.ts';
import type { Toolbox, TurnTools } from '../../tools/toolbox.ts';
import { workspaceOfChat } from '../../tools/workspace/workspace-of-chat.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import type { ChatGit, GitChat } from '../chat-git.ts';
import type { GitConnections } from '../connections.ts';

export interface GitToolboxOptions {
  readonly database: Queryable;
  readonly workspaces: Pick<Workspaces, 'find'>;
  readonly connections: Pick<GitConnections, 'hosts'>;
  readonly git: Pick<ChatGit, 'push' | 'openPullRequest'>;
}

const Destination = z
  .string()
  .min(1)
  .describe('Where to: host and repository of the remote origin, such as github.com/acme/shop');
const Path = z
  .string()
  .min(1)
  .optional()
  .describe('Folder of the repository. Default: the only repository of the workspace');

const PushInput = z.strictObject({
  destination: Destination,
  branch: z
    .string()
    .min(1)
    .describe('Branch to push: the current one, or a new one named chatd/ and a few words'),
  message: z
    .string()
    .min(1)
    .optional()
    .describe('Commits all uncommitted changes with this message first. Default: no commit'),
  path: Path,
});

const PullRequestInput = z.strictObject({
  destination: Destination,
  title: z.string().min(1).max(250),
  body: z.string().optional().describe('Description in Markdown'),
  base: z.string().min(1).optional().describe('Default: the default branch'),
  draft: z.boolean().optional(),
  path: Path,
});

/** The tools for git hosts, in chats whose owner has connected one. */
export class GitToolbox implements Toolbox {
  readonly source = 'workspace';
  readonly #options: GitToolboxOptions;

  constructor(options: GitToolboxOptions) {
    this.#options = options;
  }

  async open(chat: ChatRow): Promise<TurnTools> {
    const { database, connections } = this.#options;
    const workspaceId = await workspaceOfChat(chat, database);
    if (workspaceId === null || (await connections.hosts(chat.owner_id)).length === 0)
      return { tools: [] };
    const tools = [this.#push(chat, workspaceId), this.#openPullRequest(chat, workspaceId)];
    return { tools: tools.map((tool) => redactingTool(tool, (text) => knownSecrets.hide(text))) };
  }

  async preview(chat: ChatRow): Promise<TurnTools> {
    return await this.open(chat);
  }

  #push(chat: ChatRow, workspaceId: string): LocalTool {
    return agentTool({
      name: 'git_push',
      description:
        'Push a branch of the workspace to its remote origin. git push itself is refused. Never forces, and never pushes to the default branch: push another branch and open a pull request.',
      input: PushInput,
      // Idempotent: a repeated push finds the branch up to date.
      idempotent: true,
      run: async (input, { signal }) => {
        const of = await this.#chat(chat, workspaceId);
        const { branch, head, pull_request } = await this.#options.git.push(of, input, signal);
        return {
          branch,
          commit: head,
          ...(pull_request?.state === 'open' && { pull_request: pull_request.url }),
        };
      },
    });
  }

  #openPullRequest(chat: ChatRow, workspaceId: string): LocalTool {
    return agentTool({
      name: 'open_pull_request',
      description:
        'Open a pull request (a merge request in GitLab) for the current branch of the workspace, which must have been pushed with git_push.',
      input: PullRequestInput,
      // Idempotent: a repeated call finds the open pull request.
      idempotent: true,
      run: async (input) => {
        const of = await this.#chat(chat, workspaceId);
        const { number, url, base } = await this.#options.git.openPullRequest(of, input);
        return { number, url, base };
      },
    });
  }

  async #chat(chat: ChatRow, workspaceId: string): Promise<GitChat> {
    const workspace = await this.#options.workspaces.find(workspaceId);
    if (workspace === undefined) throw new Error('The workspace was deleted.');
    return { chat, workspace };
  }
}
