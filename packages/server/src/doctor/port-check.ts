import { createServer } from 'node:net';
import { z } from 'zod';
import { isLoopback } from '../auth/hosts.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'port';
const PROBE_MS = 1_000;
/** Listen on all addresses. */
const WILDCARDS = new Set(['0.0.0.0', '::']);

/** Whether the server can listen at the configured address, unless it already does. */
export const portCheck: Check = {
  name: NAME,
  async look({ config, runningAt }) {
    const { host, port } = config.listen;
    const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const findings: Finding[] = [];
    if (runningAt !== undefined) {
      findings.push(ok(NAME, `chatd is listening at ${runningAt}.`));
    } else {
      findings.push(await findingAt(host, port, shown));
    }
    if (!isLoopback(host) && config.allowedHosts.length === 0) {
      findings.push(
        warning(
          NAME,
          `The server listens on ${host} and accepts no other host name.`,
          'Set CHATD_ALLOWED_HOSTS to the host names of the server.',
        ),
      );
    }
    return findings;
  },
};

async function findingAt(host: string, port: number, shown: string): Promise<Finding> {
  const error = await listenError(host, port);
  if (error === undefined) return ok(NAME, `${shown} is available.`);
  const isTaken = error.code === 'EADDRINUSE';
  if (isTaken && (await isChatd(WILDCARDS.has(host) ? `127.0.0.1:${port}` : shown))) {
    return warning(
      NAME,
      `A chatd server with another data directory or database is listening at ${shown}.`,
      'To check its settings, run chatd doctor with its environment. To start a second server, set CHATD_LISTEN.',
    );
  }
  return broken(
    NAME,
    `${shown} cannot be used: ${isTaken ? 'another program is listening there' : error.message}.`,
    'Stop the other program, or set CHATD_LISTEN to another address, for example 127.0.0.1:7718.',
  );
}

function listenError(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

const Description = z.object({ info: z.object({ title: z.literal('chatd') }) });

/** Whether the program there describes the API of chatd. */
async function isChatd(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const response = await fetch(`http://${address}/openapi.json`, { signal });
    return Description.safeParse(await response.json()).success;
  } catch {
    return false;
  }
}
