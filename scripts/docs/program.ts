import { parseSync } from 'oxc-parser';
import type { ImportDeclaration, ImportDeclarationSpecifier } from 'oxc-parser';
import type { Block, Page } from './page.ts';

/** A TypeScript file assembled from the blocks of a page, with a line map. */
export interface Program {
  readonly page: string;
  readonly tsx: boolean;
  readonly text: string;
  /** Line on the page by line of the program; index 0 is unused. */
  readonly lines: readonly number[];
}

const isCode = ({ language, notes }: Block) =>
  (language === 'ts' || language === 'tsx') && !notes.has('not checked');

/** The programs of a page to type-check. */
export function programsOf(page: Page): Program[] {
  const code = page.blocks.filter(isCode);
  const alone = code.filter(isAlone);
  const together = code.filter((block) => !isAlone(block));
  return [
    ...alone.map((block) => nested(page, [block])),
    ...(together.length === 0 ? [] : [nested(page, together)]),
  ];
}

/** The runnable program of a page up to a block. */
export function programUpTo(page: Page, last: Block): Program {
  const code = page.blocks.filter((block) => isCode(block) && !isAlone(block));
  return nested(page, code.slice(0, code.indexOf(last) + 1));
}

/** Blocks that form separate files. */
function isAlone({ notes, text }: Block): boolean {
  return notes.has('file') || /^export /m.test(text);
}

/** Nests each block in the previous one, so that it sees and can redeclare names. Imports and `declare` move to the top. */
function nested(page: Page, blocks: readonly Block[]): Program {
  const imports: Line[] = [];
  const body: Line[] = [];
  const known = new Set<string>();
  let line = 1;
  for (const block of blocks) {
    ({ line } = block);
    const { imported, rest } = withoutTop(block, known);
    imports.push(...imported);
    if (blocks.length > 1) body.push({ text: '{', line });
    body.push(...rest);
  }
  if (blocks.length > 1) body.push({ text: '}'.repeat(blocks.length), line });
  // Only modules, which have an import or export, allow top-level await.
  const lines = [...imports, ...body, { text: 'export {};', line }];
  return {
    page: page.file,
    tsx: blocks.some(({ language }) => language === 'tsx'),
    text: lines.map(({ text }) => text).join('\n'),
    lines: [0, ...lines.map(({ line }) => line)],
  };
}

interface Line {
  readonly text: string;
  readonly line: number;
}

function withoutTop(block: Block, known: Set<string>): { imported: Line[]; rest: Line[] } {
  const { program } = parseSync(`block.${block.language}`, block.text);
  const imported: Line[] = [];
  let text = block.text;
  for (const node of program.body) {
    const declared = 'declare' in node && node.declare;
    if (node.type !== 'ImportDeclaration' && !declared) continue;
    const line = block.line + block.text.slice(0, node.start).split('\n').length - 1;
    const own = block.text.slice(node.start, node.end);
    const top = node.type === 'ImportDeclaration' ? newImports(node, block.text, known) : own;
    imported.push(...top.split('\n').map((text, index) => ({ text, line: line + index })));
    const gone = own.replaceAll(/[^\n]/g, ' ');
    text = text.slice(0, node.start) + gone + text.slice(node.end);
  }
  const rest = text.split('\n').map((line, index) => ({ text: line, line: block.line + index }));
  return { imported, rest };
}

/** Imports that no earlier block has. */
function newImports(node: ImportDeclaration, source: string, known: Set<string>): string {
  const from = node.source.raw ?? `'${node.source.value}'`;
  if (node.specifiers.length === 0) return `import ${from};`;
  const isNew = ({ local }: ImportDeclarationSpecifier) => {
    const key = `${local.name} ${node.source.value}`;
    return !known.has(key) && known.add(key);
  };
  const word = node.importKind === 'type' ? 'import type' : 'import';
  return node.specifiers
    .filter(isNew)
    .map((specifier) => {
      const words = source.slice(specifier.start, specifier.end);
      return `${word} ${specifier.type === 'ImportSpecifier' ? `{ ${words} }` : words} from ${from};`;
    })
    .join(' ');
}
