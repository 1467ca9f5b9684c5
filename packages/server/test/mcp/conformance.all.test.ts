import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, test } from 'vitest';

const MAIN = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);
const CLIENT = join(import.meta.dirname, 'conformance-client.ts');

/** Scenarios of the official suite for clients. The others are about sign-ins, and what chatd does not offer: elicitation and skills. */
test.each([
  ['initialize', '2025-11-25'],
  ['tools_call', '2025-11-25'],
  ['tools_call', '2026-07-28'],
  ['sse-retry', '2025-11-25'],
  ['request-metadata', '2026-07-28'],
  ['http-standard-headers', '2026-07-28'],
  ['http-custom-headers', '2026-07-28'],
  ['http-invalid-tool-headers', '2026-07-28'],
  ['json-schema-ref-no-deref', '2026-07-28'],
])(
  'the conformance suite passes: %s at %s',
  async (scenario, version) => {
    const cwd = await makeTemporaryDirectory();
    const command = `${process.execPath} ${CLIENT}`;
    const scope = ['--scenario', scenario, '--spec-version', version];
    const args = [MAIN, 'client', '--command', command, ...scope];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    process.stdout.write(`${stdout}${stderr}`);
    expect(`${stdout}${stderr}`).toMatch(/Passed: [1-9]\d*\/[1-9]\d*, 0 failed/);
  },
  60_000,
);
