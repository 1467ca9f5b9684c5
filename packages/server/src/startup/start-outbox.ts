import type { Config } from '../config.ts';
import { Outbox } from '../outbox/outbox.ts';
import { resealTargets } from '../outbox/reseal.ts';
import { guardedAgent } from '../providers/fetch/guarded-agent.ts';
import { Push } from '../push/push.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import type { Closeable } from './close-stack.ts';
import type { Agents } from './start-agents.ts';
import type { StartOptions } from './start-options.ts';
import type { Storage } from './start-storage.ts';

export interface OutboxServices extends Closeable {
  readonly outbox: Outbox;
  readonly webhooks: Webhooks;
  readonly push: Push;
}

/** Push services require an address that they could write to. */
const NO_CONTACT = 'mailto:notifications@example.com';

/** Starts the delivery of events to webhooks and browsers. */
export async function startOutbox(
  { publicUrl }: Config,
  { log, outbox: timing }: StartOptions,
  { replica, store: { database }, commitListeners }: Storage,
  { providers: { vault, allowPrivate } }: Agents,
): Promise<OutboxServices> {
  await resealTargets(database, vault, log);
  const dispatchers = {
    ofAdmins: guardedAgent(allowPrivate),
    ofMembers: guardedAgent(() => Promise.resolve(false)),
  };
  const webhooks = new Webhooks({ database, vault, dispatchers, version: replica.program, log });
  const contact = publicUrl?.startsWith('https:') === true ? publicUrl : NO_CONTACT;
  const push = new Push({ database, vault, dispatchers, contact, log });
  const outbox = new Outbox({
    database,
    channels: { webhook: webhooks, push },
    log,
    ...(timing && { timing }),
  });
  outbox.start();
  commitListeners.outbox = outbox;
  return {
    outbox,
    webhooks,
    push,
    async close() {
      await outbox.close();
      await Promise.all(Object.values(dispatchers).map((one) => one.destroy()));
    },
  };
}
