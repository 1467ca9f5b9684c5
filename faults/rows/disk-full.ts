import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { startPostgres } from '../deployment/postgres.ts';
import { mountSmallDisk } from '../deployment/small-disk.ts';
import { countRounds, type Outcome, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const DATABASE_MEGABYTES = 250;
const FULL_MS = 6000;
/** Checkpoints remove WAL, so the disk is filled repeatedly. */
const FILL_EVERY_MS = 50;
const WRITE_EVERY_MS = 1000;
/** Little WAL is kept, so that a full disk affects writes immediately. */
const SETTINGS = { max_wal_size: '32MB', min_wal_size: '32MB', wal_recycle: 'off' };

export const diskFull: Row = {
  name: 'disk full',
  guarantee: '503 or a tool error, then automatic recovery',
  chats: 4,
  seconds: { round: 14 },
  async run({ bus, rounds, chats, log }) {
    const directory = await makeTemporaryDirectory();
    const disk = await mountSmallDisk(join(directory, 'database'), DATABASE_MEGABYTES);
    if ('refused' in disk) return skipped(disk.refused);
    const toolDisk = await mountSmallDisk(join(directory, 'tools'), 1);
    if ('refused' in toolDisk) {
      await disk.unmount();
      return skipped(toolDisk.refused);
    }
    const postgres = await startPostgres({ dataParent: disk.path, settings: SETTINGS });
    try {
      return await withCluster({ bus, postgres, effectsIn: toolDisk.path }, async (cluster) => {
        // A tool with a full disk returns an error to the model, and the turn continues.
        await toolDisk.fill();
        const conversation = await cluster.begin([{ call: { tool: 'count' } }, { chunks: 2 }]);
        cluster.expect(
          await conversation.answered(AbortSignal.timeout(20_000)),
          'the tool error ended the turn',
        );
        const results = conversation.view.messages.flatMap(({ content }) =>
          content.filter((part) => part.type === 'tool-result'),
        );
        cluster.expect(results[0]?.is_error === true, 'the tool succeeded on a full disk');
        await toolDisk.free();

        const { api } = cluster.deployment;
        const load = await cluster.load({ conversations: chats });
        const recoveries: number[] = [];
        for (const round of countRounds({ rounds, log })) {
          await cluster.progress(load, chats);
          const filledAt = Date.now();
          await disk.fill();
          const isRefused = () =>
            api.attempts.some(({ at, status }) => at >= filledAt && status === 503);
          const started: Promise<unknown>[] = [];
          for (let passed = 0; passed < FULL_MS; passed = Date.now() - filledAt) {
            // All other conversations may be waiting for answers.
            if (!isRefused() && passed >= started.length * WRITE_EVERY_MS) {
              started.push(cluster.begin([{ chunks: 2 }], undefined, largePrompt()));
            }
            await sleep(FILL_EVERY_MS);
            await disk.fill();
          }
          const exited = !postgres.isRunning();
          const freedAt = Date.now();
          await disk.free();
          // PostgreSQL can exit on a full disk; a supervisor restarts it.
          if (exited) await postgres.start();
          await Promise.all(started);
          await cluster.progress(load, chats);
          const attempts = api.attempts.filter(({ at }) => at >= filledAt);
          const refused = attempts.filter(({ status }) => status === 0);
          const busy = attempts.filter(({ status }) => status === 503);
          recoveries.push(Date.now() - freedAt);
          cluster.expect(busy.length > 0 || exited, 'no request failed while the disk was full');
          log(
            `round ${round}: ${busy.length} responses 503, ${refused.length} failed connections${exited ? ', PostgreSQL exited' : ''}`,
          );
        }
        return {
          ...(await cluster.check(2 * rounds * chats)),
          times: { [`recovery (${chats} more answered turns)`]: recoveries },
        };
      });
    } finally {
      await postgres.stop().catch(() => undefined);
      await disk.unmount();
      await toolDisk.unmount();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** Makes a chat too large for the free space of existing pages. */
const largePrompt = () => ({ system_prompt: randomBytes(16_384).toString('hex') });

const skipped = (reason: string): Outcome => ({
  problems: [],
  skipped: `SKIPPED: cannot mount a tmpfs (${reason}). Run as root.`,
});
