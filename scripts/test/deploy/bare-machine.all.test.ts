import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../checks.ts';
import { readPage } from '../../docs/pages.ts';
import { run } from '../../stage.ts';
import { copySources, makeBareDebian, noBareDebian } from './bare-debian.ts';

const LONG_MS = 3_600_000;
const NODE_20 = '20.20.2';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PAGE = 'docs/replicas.md';

const impossible = noBareDebian();

/*
 * Runs docs/replicas.md on a machine with only Debian, Node 20, npm and a checkout. The first block, which installs
 * packages, uses the network of this machine; the others run in separate network and process namespaces.
 */
describe.skipIf(impossible !== undefined)(`a bare machine (${impossible ?? 'made here'})`, () => {
  let root = '';

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'chatd-bare-'));
    await makeBareDebian(root, NODE_20);
    await copySources(join(root, 'srv/chatd'));
    // Installed services must not start in the network of this machine.
    await writeFile(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  }, LONG_MS);

  afterAll(() => rm(root, { recursive: true, force: true }), LONG_MS);

  /** Runs the blocks as one script. */
  async function runBlocks(blocks: readonly string[], flags: readonly string[]): Promise<string> {
    const script = blocks.map((text, index) => `echo "== ${index + 1} at $(date +%T)"\n${text}`);
    const text = ['cd /srv/chatd', 'set -eo pipefail', ...script, ''].join('\n');
    await writeFile(join(root, 'page.sh'), text);
    const prepare = [
      'mount --make-rprivate /',
      `mount -t proc proc ${root}/proc`,
      `mount --rbind /dev ${root}/dev`,
      'ip link set lo up',
      `exec env -i HOME=/root TERM=dumb PATH=${PATH} chroot ${root} bash /page.sh`,
    ];
    const { code, output } = await run({
      program: 'unshare',
      args: [
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        ...flags,
        'sh',
        '-ec',
        prepare.join('\n'),
      ],
    });
    expect(code, output).toBe(0);
    return output;
  }

  test(
    'the commands of the page start two replicas behind a proxy, and chats survive a kill',
    async () => {
      const page = readPage(ROOT, PAGE);
      const [install = '', ...rest] = page.blocks
        .filter(({ language, notes }) => language === 'sh' && !notes.has('not run'))
        .map(({ text }) => text);
      expect(install).toContain('apt-get install');
      await runBlocks([install], []);
      const output = await runBlocks(rest, ['--net']);
      expect(output).toContain('I am the demo model');
      expect(output).toMatch(/it runs on the replica at port 771[78]/);
      expect(output).toContain('Done, slowly.');
      expect(output).toMatch(/replicas on NATS: 2/);
    },
    LONG_MS,
  );
});
