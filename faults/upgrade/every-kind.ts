import { startNotesServer } from '../../packages/server/test/upgrade/notes-server.ts';
import { PlainApi } from '../../packages/server/test/upgrade/observe.ts';
import { startScriptedModel } from '../../packages/server/test/upgrade/scripted-model.ts';
import { tellStory, type Told } from '../../packages/server/test/upgrade/dump/story.ts';
import { type Cluster, withCluster } from '../cluster.ts';
import { ADMIN_TOKEN, type Member } from '../deployment/deployment.ts';
import { difference, documentOf, expandPaths, hasRoute, readablePaths } from './api-walk.ts';
import { makeRecentKinds } from './recent-kinds.ts';
import type { Revision } from './revision.ts';
import type { Upgrade } from './upgrade.ts';

/**
 * Two replicas of an earlier version make data of every kind that the version has. Then one replica is upgraded, and
 * every readable path of the old API must return the same on both; then the other one, and every chat goes on.
 */
export const everyKind = (old: Revision): Upgrade => ({
  name: `data of every kind from ${old.name} (schema ${old.schema.version})`,
  guarantee: 'both versions return the same data, and every chat continues',
  run: ({ bus, postgres, log }) =>
    withCluster({ bus, postgres, version: old }, async (cluster) => {
      const { deployment } = cluster;
      const [first, second] = deployment.members;
      if (first === undefined || second === undefined) throw new Error('two replicas expected');
      const model = await startScriptedModel({ holds: true });
      const notes = await startNotesServer();
      try {
        const admin = new PlainApi(second.replica.url, ADMIN_TOKEN);
        const told = await tellStory(admin, model, notes.url);
        const { member, chats } = told;
        const kinds = await makeRecentKinds({ admin, member, chat: chats['edited'] ?? '' });
        log(`${Object.keys(chats).length} chats, ${kinds.join(', ') || 'no newer kinds'}`);

        await first.replica.stop();
        await deployment.replace(first);
        const paths = await expectSame(cluster, [second, first], [ADMIN_TOKEN, member.token]);
        log(`${paths} paths compared between the versions`);

        await second.replica.kill();
        await deployment.replace(second);
        model.release();
        const continued = await continueAll(cluster, told);
        // The walk also reads the models that the provider lists, which the fake one does not.
        const prompts = model.provider.rejected.filter(({ request }) => request.path !== LIST_PATH);
        for (const rejected of prompts)
          cluster.expect(false, `rejected prompt: ${JSON.stringify(rejected).slice(0, 1000)}`);
        const figure = `${paths} paths compared, ${continued} chats continued`;
        return { figure, problems: cluster.problems };
      } finally {
        await notes.stop();
        await model.provider.close();
      }
    }),
});

/** Reads everything that the old version documents from both replicas. Returns the number of paths. */
async function expectSame(
  cluster: Cluster,
  [old, current]: readonly [Member, Member],
  tokens: readonly string[],
): Promise<number> {
  let compared = 0;
  for (const token of tokens) {
    const before = new PlainApi(old.replica.url, token);
    const now = new PlainApi(current.replica.url, token);
    const document = await documentOf(before);
    const hasMachines = hasRoute(document, 'get', '/machines');
    const paths = await expandPaths(before, readablePaths(document));
    for (const path of paths) {
      let found: string | undefined;
      // Chats go on meanwhile, so that the two requests may see different moments.
      await cluster.eventually(
        `GET ${path} is the same on both replicas`,
        async () => {
          const [said, says] = await Promise.all([before.try('GET', path), now.try('GET', path)]);
          found =
            said.status === says.status || (!hasMachines && isElsewhere(said, says))
              ? undefined
              : `: ${says.status} instead of ${said.status} ${said.text}`;
          if (said.status === 200 && says.status === 200)
            found = difference(JSON.parse(says.text), JSON.parse(said.text));
          return found === undefined;
        },
        SAME_MS,
      );
      if (found !== undefined) cluster.expect(false, `${path}${found}`);
      compared += 1;
    }
  }
  return compared;
}

const SAME_MS = 5000;

/** Before machines, only one of the replicas could use a workspace: that of its host. */
const isElsewhere = (one: { readonly status: number }, other: { readonly status: number }) =>
  Math.min(one.status, other.status) === 200 && Math.max(one.status, other.status) === 409;

const LIST_PATH = '/v1/models';

/** Sends a message to every chat that waits for one, alternately through both replicas. Returns their number. */
async function continueAll(cluster: Cluster, { member, chats }: Told): Promise<number> {
  const urls = cluster.deployment.members.map(({ replica }) => replica.url);
  let count = 0;
  for (const [name, id] of Object.entries(chats)) {
    if (name === 'deleted' || name === 'of-the-admin') continue;
    const api = new PlainApi(urls[count % urls.length] ?? '', member.token);
    const status = async () => (await api.get<{ status: string }>(`/chats/${id}`)).status;
    const isIdle = async () => ['waiting', 'error', 'requires_action'].includes(await status());
    await cluster.eventually(`chat ${name} is idle`, isIdle);
    if ((await status()) === 'requires_action') continue;
    if (name === 'archived') await api.call('PATCH', `/chats/${id}`, { archived: false });
    await api.post(`/chats/${id}/messages`, { content: 'say once more' });
    await cluster.eventually(
      `chat ${name} is answered`,
      async () => (await status()) === 'waiting',
    );
    count += 1;
  }
  return count;
}
