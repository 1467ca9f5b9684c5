import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { COMMAND, environment } from './support/command.ts';
import { startServer } from './support/server.ts';

vi.setConfig({ testTimeout: 120_000 });

const SCRIPT = join(import.meta.dirname, '../../../examples/nightly-update/create.sh');

test('the example creates a template of the repository, and a schedule that uses it', async () => {
  const { client, env } = await startServer();
  await promisify(execFile)('sh', [SCRIPT, 'https://github.com/acme/shop.git'], {
    // The command may have several words.
    env: environment({ ...env, CHATD: COMMAND.replaceAll("'", ''), TIMEZONE: 'Europe/Berlin' }),
  });
  const { templates } = await client.call('listTemplates');
  const template = templates.find(({ name }) => name === 'nightly-update');
  const { triggers } = await client.call('listTriggers');
  expect(triggers).toMatchObject([
    {
      name: 'nightly-update',
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      missed: 'once',
      concurrency: 'skip',
      spend_limit_micros: 20_000_000,
      chat: {
        template_id: template?.id,
        approvals: [{ action: 'allow' }, { action: 'allow' }, { action: 'ask' }],
      },
    },
  ]);
  expect(triggers[0]?.prompt).toContain('Update the dependencies');
});
