import { startEmbeddedPostgres } from '../../src/postgres/index.ts';

// A process that runs an embedded PostgreSQL as a server does: `node supervising-process.ts DATA_DIR`. It prints one
// JSON object per line: {progress}, then {url, adopted} or {error, hint, kind}. It stops when its standard input ends.
const [dataDir = ''] = process.argv.slice(2);

function say(fact: object): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`);
}

try {
  const server = await startEmbeddedPostgres({
    dataDir,
    onProgress: (progress) => say({ progress }),
  });
  say({ url: server.url, adopted: server.adopted });
  process.stdin.resume().once('end', () => {
    void server.stop().then(() => say({ stopped: true }));
  });
} catch (error) {
  say({ error: String(error), ...(error as object) });
}
