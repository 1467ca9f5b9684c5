import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewriteFigures } from './markers.ts';
import type { Rendered, Report } from './report.ts';
import { parseResult } from './result.ts';

const IMAGES = 'docs/images';
const RESULTS = 'bench/results';

/** A page has a marker that cannot be filled. The message names the page and the fix. */
export class FigureError extends Error {}

export interface Written {
  /** Relative to the repository root. */
  readonly file: string;
  readonly text: string;
}

/** Every file that differs from what the stored results render. */
export function outdatedFigures(root: string, reports: readonly Report[]): Written[] {
  const rendered = new Map(
    reports.flatMap((report) => {
      const file = join(root, RESULTS, `${report.result}.json`);
      return existsSync(file)
        ? [[report, report.render(parseResult(readFileSync(file, 'utf8')))] as const]
        : [];
    }),
  );
  const charts = [...rendered.values()].flatMap(({ charts = {} }) =>
    Object.entries(charts).map(([name, text]) => ({ file: join(IMAGES, name), text })),
  );
  const pages = markdownFiles(root).map((file) => ({
    file,
    text: writtenPage(file, readFileSync(join(root, file), 'utf8'), reports, rendered),
  }));
  return [...charts, ...pages].filter(({ file, text }) => textOf(join(root, file)) !== text);
}

export function writeFigures(root: string, outdated: readonly Written[]): void {
  for (const { file, text } of outdated) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

const exclude = (path: string) => /(^|\/)(node_modules|dist|\.[^/.][^/]*)$/.test(path);

function markdownFiles(root: string): string[] {
  return globSync('**/*.md', { cwd: root, exclude }).toSorted();
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

type RenderedReports = ReadonlyMap<Report, Rendered>;

function writtenPage(
  file: string,
  text: string,
  reports: readonly Report[],
  rendered: RenderedReports,
): string {
  const all = [...rendered.values()];
  try {
    return rewriteFigures(text, {
      block(name) {
        const block = all.map(({ blocks }) => blocks?.[name]).find((found) => found !== undefined);
        return block ?? unknown(`figures: ${name}`, name, reports, rendered);
      },
      figure(name) {
        const [, result, key] = /^([^.]+)\.(.+)$/.exec(name) ?? [];
        const report = reports.find((report) => report.result === result);
        const found = report && rendered.get(report)?.figures?.[key ?? ''];
        return found ?? unknown(`figure: ${name}`, result ?? name, reports, rendered);
      },
    });
  } catch (error) {
    throw new FigureError(`${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function unknown(
  marker: string,
  name: string,
  reports: readonly Report[],
  rendered: RenderedReports,
): never {
  const missing = reports.find((report) => name.startsWith(report.result) && !rendered.has(report));
  throw new Error(
    missing
      ? `\`${marker}\` needs ${RESULTS}/${missing.result}.json, which \`${missing.command}\` writes`
      : `nothing in bench/report renders \`${marker}\``,
  );
}
