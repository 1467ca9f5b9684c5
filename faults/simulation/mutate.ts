import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { MUTATIONS } from './mutations.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Modules that this thread loads from now on have the defect. Throws if the program has no such line anymore. */
export function mutate(name: string): void {
  const mutation = MUTATIONS.find((one) => one.name === name);
  if (mutation === undefined) throw new Error(`There is no mutation "${name}".`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const edits = mutation.edits.filter(({ file }) => urlOf(file) === url);
      if (edits.length === 0) return loaded;
      const { source = '' } = loaded;
      let text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
      for (const { file, find, replace } of edits) {
        if (text.split(find).length !== 2) {
          throw new Error(`${file} does not contain ${JSON.stringify(find)} once.`);
        }
        text = text.replace(find, () => replace);
      }
      return { ...loaded, source: text };
    },
  });
}

const urlOf = (file: string): string => pathToFileURL(join(ROOT, file)).href;
