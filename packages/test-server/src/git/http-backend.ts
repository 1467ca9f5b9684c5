import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Answers a request with the CGI program `git http-backend`, as an authenticated user. */
export async function serveGit(
  root: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  mayAnswer: () => Promise<boolean>,
): Promise<void> {
  const [path = '', query = ''] = (incoming.url ?? '').split('?');
  const header = (name: string) => String(incoming.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: incoming.method,
      PATH_INFO: path.replace(/^(\/[^/]+\/[^/]+?)(?:\.git)?\//, '$1.git/'),
      QUERY_STRING: query,
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  pipeline(incoming, child.stdin).catch(() => undefined);
  const said = await buffer(child.stdout);
  if (!(await mayAnswer())) return void outgoing.destroy();
  const end = said.indexOf('\r\n\r\n');
  const headers = said
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    });
  const status = Number.parseInt(Object.fromEntries(headers)['status'] ?? '200', 10);
  outgoing.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'status')));
  outgoing.end(said.subarray(end + 4));
}
