import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Place {
  readonly channel: string;
  /** The message that the thread hangs on. */
  readonly thread: string;
}

export interface SlackOptions {
  readonly token: string;
  readonly signingSecret: string;
  /** Another address, for tests. */
  readonly url?: string | undefined;
}

interface Answer {
  readonly ok: boolean;
  readonly ts?: string;
  readonly error?: string;
}

const LONGEST = 3900;
const OLDEST_S = 300;

/** The two calls of Slack's Web API that the bot needs, and the check of who delivers events. */
export class Slack {
  readonly #options: SlackOptions;

  constructor(options: SlackOptions) {
    this.#options = options;
  }

  /** The id of the new message. */
  async post({ channel, thread }: Place, text: string): Promise<string> {
    const { ts } = await this.#call('chat.postMessage', {
      channel,
      thread_ts: thread,
      text: cut(text),
    });
    if (ts === undefined) throw new Error('Slack did not say which message it made.');
    return ts;
  }

  async edit({ channel }: Place, message: string, text: string): Promise<void> {
    await this.#call('chat.update', { channel, ts: message, text: cut(text) });
  }

  /** Slack signs what it delivers; anybody else could post to the same address. */
  isSigned(body: string, timestamp: string, signature: string, nowMs: number): boolean {
    if (Math.abs(nowMs / 1000 - Number(timestamp)) > OLDEST_S) return false;
    const expected = Buffer.from(sign(this.#options.signingSecret, timestamp, body));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** Waits as long as Slack asks it to, and tries again while Slack is away. */
  async #call(method: string, body: object): Promise<Answer> {
    const { token, url = 'https://slack.com' } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${url}/api/${method}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json; charset=utf-8',
        },
        body: JSON.stringify(body),
      }).catch((error: unknown) => {
        if (tries >= 10) throw error;
      });
      if (response === undefined || response.status === 429 || response.status >= 500) {
        await sleep(Number(response?.headers.get('retry-after') ?? 1) * 1000);
        continue;
      }
      const answer = (await response.json()) as Answer;
      if (!answer.ok) throw new Error(`Slack refuses ${method}: ${answer.error}`);
      return answer;
    }
  }
}

export function sign(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text);
