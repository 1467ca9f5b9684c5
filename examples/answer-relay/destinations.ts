import { setTimeout as sleep } from 'node:timers/promises';
import type { Slack } from '../thread-bot/slack.ts';

/** Where the answers of a trigger's chats go. The label `relay` of a chat names its destination. */
export interface Destination {
  /** The path of the trigger at chatd, `/hooks/ID`. */
  readonly hook: string;
  /** Whether a delivery is for the agent. The others are dropped, such as the agent's own comments. */
  accepts(payload: Payload): boolean;
  /**
   * Posts an answer. `prompt` is the last message of the trigger; its first words come from the template of the prompt, so
   * no payload can change where the answer goes. `mark` is the same each time the answer is posted.
   */
  post(prompt: string, answer: string, mark: string): Promise<void>;
}

export interface Payload {
  readonly action?: string;
  readonly comment?: { readonly body: string; readonly user: { readonly type: string } };
  readonly type?: string;
  readonly event?: { readonly type: string; readonly bot_id?: string };
}

interface GitHubOptions {
  readonly hook: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Base URL, for tests. */
  readonly url?: string | undefined;
}

/** Comments on issues. The prompt of the trigger starts with `Issue {{payload.issue.number}}`. */
export class GitHubIssues implements Destination {
  readonly hook: string;
  readonly #options: GitHubOptions;

  constructor(options: GitHubOptions) {
    this.#options = options;
    this.hook = options.hook;
  }

  accepts({ action, comment }: Payload): boolean {
    return action === 'created' && comment?.user.type === 'User' && /@chatd\b/.test(comment.body);
  }

  async post(prompt: string, answer: string, mark: string): Promise<void> {
    const [, number] = /^Issue (\d+)\b/.exec(prompt) ?? [];
    if (number === undefined) throw new Error('The prompt does not start with the issue.');
    const path = `/repos/${this.#options.repository}/issues/${number}/comments`;
    const hidden = `<!-- ${mark} -->`;
    // An event can arrive twice. Its comment is posted once.
    const comments = (await this.#call('GET', `${path}?per_page=100`)) as { body: string }[];
    if (comments.some(({ body }) => body.endsWith(hidden))) return;
    await this.#call('POST', path, { body: `${answer}\n\n${hidden}` });
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const { token, url = 'https://api.github.com' } = this.#options;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'x-github-api-version': '2022-11-28',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (response.status === 429) await sleep(Number(response.headers.get('retry-after') ?? 1));
    if (!response.ok)
      throw new Error(`GitHub responded with HTTP ${response.status} to ${method}.`);
    return await response.json();
  }
}

/** Threads of Slack. The prompt of the trigger starts with the channel and the thread: the time of its first message. */
export class SlackThreads implements Destination {
  readonly hook: string;
  readonly #slack: Slack;
  readonly #posted = new Set<string>();

  constructor(hook: string, slack: Slack) {
    this.hook = hook;
    this.#slack = slack;
  }

  accepts({ type, event }: Payload): boolean {
    if (type === 'url_verification') return true;
    return event?.type === 'app_mention' && event.bot_id === undefined;
  }

  async post(prompt: string, answer: string, mark: string): Promise<void> {
    if (this.#posted.has(mark)) return;
    // The first blocks are those of the template.
    const [, channel] = /untrusted payload\.event\.channel\n(\w+)\n/.exec(prompt) ?? [];
    const [, ts] = /untrusted payload\.event\.(?:thread_)?ts\n([\d.]+)\n/.exec(prompt) ?? [];
    if (channel === undefined || ts === undefined) {
      throw new Error('The prompt does not start with the channel and the thread.');
    }
    await this.#slack.post({ channel, ts }, answer);
    this.#posted.add(mark);
  }
}
