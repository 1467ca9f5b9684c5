import { createServer } from 'node:net';
import { isLoopback } from '../auth/hosts.ts';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'port';

/** Whether a server could listen where it is told to, unless ours does already. */
export const portCheck: Check = {
  name: NAME,
  async look({ config, runningAt }) {
    const { host, port } = config.listen;
    const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const findings: Finding[] = [];
    if (runningAt !== undefined) {
      findings.push(ok(NAME, `chatd listens at ${runningAt}`));
    } else {
      const trouble = await troubleAt(host, port);
      findings.push(
        trouble === undefined
          ? ok(NAME, `${shown} is free`)
          : broken(
              NAME,
              `${shown} cannot be used: ${trouble}.`,
              'Stop what uses it, or choose another with CHATD_LISTEN, for example 127.0.0.1:7718.',
            ),
      );
    }
    if (!isLoopback(host) && config.allowedHosts.length === 0) {
      findings.push(
        warning(
          NAME,
          `It listens on ${host}, and knows no name but that.`,
          'Set CHATD_ALLOWED_HOSTS to the names under which people reach it.',
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
      resolve(error.code === 'EADDRINUSE' ? 'another program listens there' : error.message);
    });
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
