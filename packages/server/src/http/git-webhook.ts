import { networkOf } from '../auth/network.ts';
import { limitReached, Refused } from '../chat/refused.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { changedRepository } from '../git/hosts/github-event.ts';
import { type Delivery, isAuthentic } from '../triggers/verification.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS } from './headers.ts';
import { JSON_BYTES_LIMIT, readBody } from './request/body.ts';
import { parseJson } from './request/json.ts';
import type { Services } from './services.ts';

export const GIT_WEBHOOK_PATH = '/git/webhooks/github';

/** Refused requests of a network per minute. */
const REFUSED_PER_MINUTE = 600;
/** GitHub signs no time. */
const NO_TIME = new Date(0);

/**
 * The webhook of a GitHub App or of a repository. It only tells clients to read a pull request again: its content is not
 * used, so a repeated delivery is harmless.
 */
export function gitWebhook({
  git,
}: Pick<Services, 'git'>): (exchange: Exchange) => Promise<Response> {
  const refusals = new RateLimit(REFUSED_PER_MINUTE, () => performance.now());

  return async (exchange) => {
    const network = networkOf(exchange.address);
    const seconds = Math.ceil(refusals.waitMs(network, 1) / 1000);
    if (seconds > 0) throw limitReached('Too many refused requests. Try again later.', seconds);
    const body = await readBody(exchange.incoming, JSON_BYTES_LIMIT);
    const delivery: Delivery = { body, header: (name) => exchange.header(name) };
    const secret = git.webhookSecret;
    if (secret === undefined || !isAuthentic('github', secret, delivery, NO_TIME)) {
      refusals.take(network, 1);
      throw new Refused(
        'not_found',
        'No webhook accepts this request. Check its secret and CHATD_GITHUB_WEBHOOK_SECRET.',
      );
    }
    const changed = changedRepository(exchange.header('x-github-event'), parseJson(body));
    if (changed !== undefined) git.changes.report(changed);
    return new Response(null, { status: 204, headers: DATA_HEADERS });
  };
}
