import { z } from 'zod';
import type { Remote } from '../repository/remote.ts';

/** Events that change what is shown about a pull request. */
const EVENTS: ReadonlySet<string | undefined> = new Set([
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'check_run',
  'check_suite',
  'status',
  'push',
]);

const Payload = z.object({
  repository: z.object({ full_name: z.string(), html_url: z.url() }),
});

/** The repository that an event of GitHub is about. Undefined: it changes nothing that is shown. */
export function changedRepository(event: string | undefined, payload: unknown): Remote | undefined {
  const parsed = Payload.safeParse(payload);
  if (!EVENTS.has(event) || !parsed.success) return undefined;
  const { full_name: repository, html_url } = parsed.data.repository;
  return { host: new URL(html_url).host, repository };
}
