import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@chatd/client';
import { CommandFailed, usageError } from '../command-failed.ts';
import { EXIT } from '../exit-codes.ts';
import type { SshHost } from './ssh-host.ts';

export interface InstallOptions {
  readonly name: string;
  readonly labels: Record<string, string> | undefined;
  /** The URL of the deployment, as the host reaches it. */
  readonly url: string;
  /** The folder that `npm run pack` has made. Undefined: chatd is installed on the host. */
  readonly from: string | undefined;
  /** For the machine to be online. */
  readonly waitMs: number;
}

const FOLDER = '.chatd-machine';
const LOOK_MS = 500;

/** Node 22.18 or later runs chatd. */
const CHECK = `command -v node >/dev/null || { echo 'Node is not installed. Install Node 24.' >&2; exit 1; }
node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 22 || (a === 22 && b < 18)) { console.error("Node " + process.version + " is too old. Install Node 24."); process.exit(1); }'
umask 022 && mkdir -p ${FOLDER}/data`;

const INSTALL = `set -e; cd ${FOLDER}/app.new
npm ci --ignore-scripts --omit=dev --no-audit --no-fund >../install.log 2>&1 || { tail -n 8 ../install.log >&2; exit 1; }
cd ..; rm -rf app.old; if [ -e app ]; then mv app app.old; fi; mv app.new app; rm -rf app.old`;

/** A systemd user service if the host has systemd, otherwise a process that a reboot ends. */
const START = `set -e; cd ${FOLDER}
program="$PWD/app/node_modules/.bin/chatd"; [ -x "$program" ] || program=$(command -v chatd) || { echo 'chatd is not installed on the host. Pass --from.' >&2; exit 1; }
if systemctl --user show-environment >/dev/null 2>&1; then
  mkdir -p ~/.config/systemd/user
  cat > ~/.config/systemd/user/chatd-machine.service <<UNIT
[Unit]
Description=chatd: machine for workspaces
[Service]
EnvironmentFile=$PWD/environment
Environment="PATH=$PATH"
ExecStart="$program" machine
Restart=always
RestartSec=2
RestartPreventExitStatus=2
TimeoutStopSec=75
[Install]
WantedBy=default.target
UNIT
  loginctl enable-linger 2>/dev/null || true
  systemctl --user daemon-reload && systemctl --user enable chatd-machine && systemctl --user restart chatd-machine
  echo systemd
else
  if [ -f pid ]; then kill "$(cat pid)" 2>/dev/null || true; fi
  set -a; . ./environment; set +a
  nohup "$program" machine >log 2>&1 </dev/null & echo $! >pid
  echo process
fi`;

const LOG = `cd ${FOLDER}; if [ -f log ]; then tail -n 8 log; else journalctl --user -u chatd-machine -n 8 -o cat; fi`;

/** Installs chatd on a host, starts it as a new machine, and waits until the machine is online. */
export async function installMachine(
  client: Client,
  host: SshHost,
  { name, labels, url, from, waitMs }: InstallOptions,
  log: (line: string) => void,
): Promise<void> {
  if (from !== undefined && !existsSync(join(from, 'package-lock.json')))
    throw usageError(
      `${from} is not a folder of packages. Create one with: npm run pack -- FOLDER`,
    );
  await host.run(CHECK);
  if (from !== undefined) {
    log('Copying chatd …');
    await host.copy(from, `${FOLDER}/app.new`);
    log('Installing its dependencies …');
    await host.run(INSTALL);
  }
  const machine = await client.call('createMachine', { body: { name, ...(labels && { labels }) } });
  try {
    await host.run(
      `umask 077 && cd ${FOLDER} && { cat; echo "CHATD_DATA_DIR='$PWD/data'"; } > environment`,
      environmentOf(url, machine.token),
    );
    const as = (await host.run(START)).trim();
    log(
      as === 'systemd'
        ? 'Started as a systemd user service.'
        : 'Started. A reboot of the host ends it.',
    );
    await untilOnline(client, machine.id, host, waitMs);
  } catch (error) {
    // The name can be used again.
    await client.call('deleteMachine', {
      params: { machine_id: machine.id },
      query: { force: true },
    });
    throw error;
  }
}

/** Read by systemd and by the shell. */
const environmentOf = (url: string, token: string): string =>
  `CHATD_URL='${url.replaceAll("'", '%27')}'\nCHATD_MACHINE_TOKEN='${token}'\n`;

async function untilOnline(
  client: Client,
  id: string,
  host: SshHost,
  waitMs: number,
): Promise<void> {
  const until = Date.now() + waitMs;
  for (;;) {
    const { status } = await client.call('getMachine', { params: { machine_id: id } });
    if (status !== 'offline') return;
    if (Date.now() > until) break;
    await sleep(LOOK_MS);
  }
  const said = (await host.run(LOG).catch(() => '')).trim();
  throw new CommandFailed(
    EXIT.failed,
    `The machine did not connect within ${waitMs / 1000} seconds.${said === '' ? '' : `\n${said}`}`,
    'Check that the host reaches the URL of the deployment, and set it with --connect-to.',
  );
}
