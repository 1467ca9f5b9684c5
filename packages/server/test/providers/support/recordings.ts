import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readAnthropic } from '../../../../loop/test/support/recorded-anthropic.ts';
import { readChat } from '../../../../loop/test/support/recorded-chat.ts';
import { readGoogle } from '../../../../loop/test/support/recorded-google.ts';
import { readResponses } from '../../../../loop/test/support/recorded-responses.ts';
import { at, type Event, pageOf, type Said } from '../../../../loop/test/support/recorded.ts';

/** Recorded streams of real services, stored next to the repository. */
const ROOT = fileURLToPath(new URL('../../../../../../shared/fixtures/recorded/', import.meta.url));

export const PRESENT = existsSync(ROOT);
if (!PRESENT) process.stderr.write(`skipped: the recorded streams are not at ${ROOT}\n`);

type Folder = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';

const READERS: Record<Folder, (events: Event[]) => Said> = {
  anthropic: readAnthropic,
  'openai-responses': readResponses,
  'openai-chat': readChat,
  google: readGoogle,
};

export interface Recorded {
  readonly name: string;
  readonly folder: Folder;
  readonly lines: readonly string[];
}

export function recordedIn(folder: Folder): Recorded[] {
  if (!PRESENT) return [];
  return readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => {
      const text = readFileSync(`${ROOT}${folder}/${name}`, 'utf8');
      return { name, folder, lines: text.split('\n').filter((line) => line.trim() !== '') };
    });
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The content of a recording, derived from its lines. A damaged event is a failure, which is retried. */
export function saidIn({ folder, lines }: Recorded): Said {
  const events = lines.filter(isWhole).map((line) => JSON.parse(line) as Event);
  const said = READERS[folder](events);
  return lines.every(isWhole) ? said : { ...said, failure: 'timeout' };
}

/** The pages that the text cites. */
export function citedIn({ lines }: Recorded): string[] {
  const urls = lines
    .filter((line) => line.includes('"response.output_text.annotation.added"'))
    .map((line) => pageOf(at(JSON.parse(line), 'annotation', 'url')));
  return [...new Set(urls)].toSorted();
}
