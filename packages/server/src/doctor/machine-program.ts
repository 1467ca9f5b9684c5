import { type Config, readConfig } from '../config.ts';
import { ConnectionRefused, dialWebSocket } from '../machine/link/web-socket-channel.ts';
import { connectUrl } from '../machine/program/machine-connector.ts';
import { dataDirectoryCheck } from './data-directory-check.ts';
import { desktopCheck } from './desktop-check.ts';
import { dockerCheck } from './docker-check.ts';
import { broken, type Finding, fromError, ok } from './finding.ts';
import { nodeCheck } from './node-check.ts';
import { sandboxCheck } from './sandbox-check.ts';

export interface MachineDoctorOptions {
  readonly url: string;
  readonly token: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  readonly onFinding: (finding: Finding) => void;
}

/** Checks this computer as a machine, whether or not `chatd machine` is running. Changes nothing. */
export async function examineMachine(options: MachineDoctorOptions): Promise<void> {
  const { url, token, onFinding, ...sources } = options;
  onFinding(await connection(url, token));
  let config: Config;
  try {
    const { config: read } = readConfig(sources);
    // These settings are about servers.
    config = { ...read, workspaces: { ...read.workspaces, enabled: true, localMachine: true } };
  } catch (error) {
    return onFinding(fromError('settings', error));
  }
  const context = { config, env: options.env, databaseUrl: undefined, runningAt: undefined };
  for (const check of [nodeCheck, dataDirectoryCheck, sandboxCheck, dockerCheck, desktopCheck]) {
    for (const finding of await check.look(context)) onFinding(finding);
  }
}

/** Authenticates and closes the connection before the handshake, so that a running machine stays connected. */
async function connection(url: string, token: string): Promise<Finding> {
  const check = 'connection';
  try {
    const channel = await dialWebSocket(connectUrl(url), {
      headers: { authorization: `Bearer ${token}` },
    });
    channel.close('check');
    return ok(check, `${url} accepts the token of this machine.`);
  } catch (error) {
    if (!(error instanceof ConnectionRefused)) {
      const why = error instanceof Error ? error.message : String(error);
      return broken(
        check,
        `${url} cannot be reached: ${why}`,
        'Check the URL, and that a proxy in between allows WebSockets.',
      );
    }
    const hint =
      error.status === 401
        ? 'Create a machine with chatd machines create, and set CHATD_MACHINE_TOKEN to its token.'
        : 'Check the URL, and that a proxy in between allows WebSockets.';
    return broken(check, `${url} refused the connection (${error.status}): ${error.message}`, hint);
  }
}
