import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/*
 * A misbehaving MCP server: it ignores the end of its input and every signal that it can, and so does its child. It
 * writes the process ids of both to the given file.
 */
const [file = ''] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
setInterval(() => undefined, 1000);

const child = spawn('/bin/sh', ['-c', `trap '' TERM HUP INT; while :; do sleep 1; done`], {
  stdio: 'ignore',
});
writeFileSync(file, `${process.pid} ${child.pid}`);

process.stdin.on('data', (chunk: Buffer) => {
  for (const line of chunk.toString().split('\n').filter(Boolean)) {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    if (id === undefined) continue;
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'stubborn', version: '1' },
          }
        : { tools: [{ name: 'stay', inputSchema: { type: 'object' } }] };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
