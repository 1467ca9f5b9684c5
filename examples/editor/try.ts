import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// A terminal in place of an editor: type messages and review proposed changes. `--yes` accepts all changes.
const folder = process.argv.slice(2).find((arg) => arg !== '--yes') ?? '.';
const yes = process.argv.includes('--yes');
const program = join(import.meta.dirname, 'main.ts');
const agent = spawn(process.execPath, ['--conditions=chatd-source', program], {
  stdio: ['pipe', 'pipe', 'inherit'],
});

interface Params {
  readonly path?: string;
  readonly before?: string | null;
  readonly after?: string;
  readonly part?: { readonly type: string; readonly text?: string };
  readonly message?: unknown;
  readonly status?: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: { readonly chat_id: string | null };
  readonly error?: { readonly message: string };
}

const opened = Promise.withResolvers<void>();
/** Id of the proposal that waits for an answer. */
let proposal: number | undefined;
let inputEnded = false;
let busy = false;

const notifications: Readonly<Record<string, (params: Params, id: number) => void>> = {
  propose_edit({ path, before, after }, id) {
    console.log(`\n${path}\n${before === null ? '' : lines('- ', before)}${lines('+ ', after)}`);
    proposal = id;
    if (yes) decide('y');
    else process.stdout.write('Apply this change? y/n ');
  },
  part({ part }) {
    if (part?.type === 'text') process.stdout.write(part.text ?? '');
  },
  failed({ message }) {
    console.error(`! ${String(message)}`);
    rest();
  },
  status({ status }) {
    busy = status !== 'waiting' && status !== 'error';
    if (!busy) rest();
    // The history comes before the status.
    opened.resolve();
  },
};

createInterface({ input: agent.stdout }).on('line', (line) => {
  const { id = 0, method, params, result, error } = JSON.parse(line) as Message;
  if (error !== undefined) notifications['failed']?.({ message: error.message }, id);
  if (method !== undefined) notifications[method]?.(params ?? {}, id);
  // This folder has no chat yet.
  if (result?.chat_id === null) opened.resolve();
});

send({ id: 1, method: 'open', params: { folder } });
await opened.promise;
for await (const line of createInterface({ input: process.stdin })) {
  if (proposal !== undefined) decide(line.trim());
  else if (line.trim() !== '') {
    busy = true;
    send({ id: 2, method: 'ask', params: { text: line } });
  }
}
inputEnded = true;
if (!busy) rest();

function send(message: object): void {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function decide(answer: string): void {
  send({ id: proposal, result: { allow: answer === 'y', reason: 'no reason given' } });
  proposal = undefined;
}

function rest(): void {
  busy = false;
  console.log();
  if (inputEnded) agent.stdin.end();
}

function lines(mark: string, text = ''): string {
  return text.replaceAll(/^/gm, mark) + '\n';
}
