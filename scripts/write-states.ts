import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withStates } from './docs/state-diagram.ts';

// `npm run docs:states`: the diagram and the table of docs/concepts.md, from the server's table of moves.
const page = join(import.meta.dirname, '../docs/concepts.md');
writeFileSync(page, withStates(readFileSync(page, 'utf8')));
