import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeRepository } from '@chatd/test-server/workspaces';

const run = promisify(execFile);

/** Each test run appends a line to this file, which shows how often the tests ran. */
export const RUNS = 'runs.log';

/** With the argument `watch`, the tests do not end. Their process can be found by the marker. */
const tests = (marker: string) => `echo "$1" >> ${RUNS}
. ./src/price.sh
. ./src/tax.sh
code=0
check() {
  if [ "$2" = "$3" ]; then echo "ok $1"; else echo "FAILED $1: $2 instead of $3"; code=1; fi
}
check price "$(price 3 4)" 12
check tax "$(with_tax 100)" 119
if [ "$1" = watch ]; then sleep ${marker}; echo "watched to the end" >> ${RUNS}; fi
exit $code
`;

/** A bare repository with a small project whose two source files have bugs. */
export async function makeShop(directory: string, marker: string): Promise<string> {
  const project = await makeRepository(join(directory, 'shop'), {
    'AGENTS.md': 'Prices are whole numbers.\n',
    '.gitignore': `${RUNS}\n`,
    'src/price.sh': 'price() {\n  echo $(($1 + $2))\n}\n',
    'src/tax.sh': 'with_tax() {\n  echo $(($1 - $1 * 19 / 100))\n}\n',
    'test.sh': tests(marker),
  });
  const bare = join(directory, 'shop.git');
  await run('git', ['clone', '--quiet', '--bare', project, bare]);
  return bare;
}
