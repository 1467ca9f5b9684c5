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

/**
 * Client scenarios of the official suite. The others cover sign-in and features that chatd does not offer: elicitation
 * and skills. docs/mcp.md states the counts.
 */
test.each([
  ['initialize', '2025-11-25', 1],
  ['tools_call', '2025-11-25', 2],
  ['tools_call', '2026-07-28', 2],
  ['sse-retry', '2025-11-25', 3],
  ['request-metadata', '2026-07-28', 5],
  ['http-standard-headers', '2026-07-28', 3],
  ['http-custom-headers', '2026-07-28', 18],
  ['http-invalid-tool-headers', '2026-07-28', 12],
  ['json-schema-ref-no-deref', '2026-07-28', 1],
])(
  'the conformance suite passes: %s at %s, with %i checks',
  async (scenario, version, checks) => {
    const cwd = await makeTemporaryDirectory();
    const command = `${process.execPath} --conditions=chatd-source ${CLIENT}`;
    const scope = ['--scenario', scenario, '--spec-version', version];
    const args = [MAIN, 'client', '--command', command, ...scope];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
    process.stdout.write(`${stdout}${stderr}`);
    expect(`${stdout}${stderr}`).toContain(`Passed: ${checks}/${checks}, 0 failed`);
  },
  60_000,
);
