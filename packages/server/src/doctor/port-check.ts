import { createServer } from 'node:net';
import { isLoopback } from '../auth/hosts.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'port';

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
      const trouble = await troubleAt(host, port);
      findings.push(
        trouble === undefined
          ? ok(NAME, `${shown} is available.`)
          : broken(
              NAME,
              `${shown} cannot be used: ${trouble}.`,
              'Stop the other program, or set CHATD_LISTEN to another address, for example 127.0.0.1:7718.',
            ),
      );
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

function troubleAt(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRINUSE' ? 'another program is listening there' : error.message);
    });
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
