import { type Chatd, createChatd, tool } from '@chatd/server';
import { z } from 'zod';
import { required } from './contract.ts';

/** An embedded chatd with the tool that the benchmark conversations call. */
export const startChatd = (): Promise<Chatd> =>
  createChatd({
    settings: {
      database_url: required('DATABASE_URL'),
      listen: `127.0.0.1:${required('CHATD_BENCH_PORT')}`,
      admin_token: required('CHATD_BENCH_TOKEN'),
      data_dir: required('CHATD_BENCH_DATA'),
      secret_key: 'a key that only the benchmark uses'.replaceAll(' ', '-'),
      allow_private_urls: true,
      log_level: 'warn',
      // One user stands for all users of a deployment.
      rate_limit: 0,
      concurrency: 10_000,
      // Workspace tools would be in every prompt.
      workspaces: false,
      ...(process.env['CHATD_BENCH_BUS'] && { bus_url: process.env['CHATD_BENCH_BUS'] }),
    },
    writeLog: (line) => process.stderr.write(line),
    tools: [
      tool({
        name: 'add',
        description: 'Add two numbers',
        input: z.object({ a: z.number(), b: z.number() }),
        idempotent: true,
        run: ({ a, b }) => a + b,
      }),
    ],
  });
