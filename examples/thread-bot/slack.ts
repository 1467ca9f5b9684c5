import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ThreadId {
  readonly channel: string;
  /** Timestamp of the thread's first message. */
  readonly ts: string;
}

export interface SlackOptions {
  readonly token: string;
  readonly signingSecret: string;
  /** Base URL, for tests. */
  readonly url?: string | undefined;
}

interface SlackResponse {
  readonly ok: boolean;
  readonly ts?: string;
  readonly error?: string;
}

const MAX_TEXT_LENGTH = 3900;
const MAX_AGE_SECONDS = 300;

/** The two Slack Web API methods that the bot needs, and the signature check for events. */
export class Slack {
  readonly #options: SlackOptions;

  constructor(options: SlackOptions) {
    this.#options = options;
  }

  /** Returns the id of the new message. */
  async post({ channel, ts: thread_ts }: ThreadId, text: string): Promise<string> {
    const { ts } = await this.#call('chat.postMessage', {
      channel,
      thread_ts,
      text: cut(text),
    });
    if (ts === undefined) throw new Error('Slack returned no message id.');
    return ts;
  }

  async edit({ channel }: ThreadId, message: string, text: string): Promise<void> {
    await this.#call('chat.update', { channel, ts: message, text: cut(text) });
  }

  /** Slack signs its events. Requests without a valid signature come from someone else. */
  isSigned(body: string, timestamp: string, signature: string, nowMs: number): boolean {
    if (Math.abs(nowMs / 1000 - Number(timestamp)) > MAX_AGE_SECONDS) return false;
    const expected = Buffer.from(sign(this.#options.signingSecret, timestamp, body));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** Honors `Retry-After` and retries while Slack is unavailable. */
  async #call(method: string, body: object): Promise<SlackResponse> {
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
      const answer = (await response.json()) as SlackResponse;
      if (!answer.ok) throw new Error(`Slack refused ${method}: ${answer.error}`);
      return answer;
    }
  }
}

export function sign(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

const cut = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)} …` : text;
