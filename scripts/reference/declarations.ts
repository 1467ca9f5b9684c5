import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import type { Class, Comment, Program, TSSignature } from 'oxc-parser';
import { ROOT } from '../checks.ts';

/** An exported declaration. */
export interface Declaration {
  readonly name: string;
  /** Doc comment on one line; empty if missing. */
  readonly doc: string;
  /** Signature without `export` and function bodies. */
  readonly text: string;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const sources = new Map<string, Source>();

function read(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const source = sources.get(path) ?? { path, text, ...parsed(path, text) };
  sources.set(path, source);
  return source;
}

function parsed(path: string, text: string) {
  const { program, comments } = parseSync(path, text);
  return { program, comments };
}

/** Resolves an import specifier such as `@chatd/protocol/clock` or a relative path to a file. */
const resolved = (from: string, name: string): string =>
  name.startsWith('@chatd/')
    ? join(ROOT, `${name.replace(/^@chatd\/([^/]+)/, 'packages/$1/src')}.ts`)
    : join(dirname(from), name);

/** All exports of an entry point, in order. */
export function exportsOf(entry: string): Declaration[] {
  const { program, path } = read(entry);
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source === null) return [];
    const from = resolved(path, statement.source.value);
    return statement.specifiers.map(({ local, exported }) =>
      declared(from, identifier(local), identifier(exported)),
    );
  });
}

/** The members of a nested type literal, for example at the path Client, chats. */
export function membersOf(file: string, [name = '', ...inner]: readonly string[]): Declaration[] {
  const source = read(file);
  let members: readonly TSSignature[] = [];
  for (const statement of source.program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (node?.type === 'TSInterfaceDeclaration' && node.id.name === name) members = node.body.body;
  }
  for (const key of inner) members = literalWithin(members, key);
  return members.map((member) => ({
    name: keyOf(member),
    doc: docBefore(source, member),
    text: onOneLine(source.text.slice(member.start, member.end)),
  }));
}

/** The members of the literal in an intersection such as `Omit<…> & { … }`. */
function literalWithin(members: readonly TSSignature[], key: string): readonly TSSignature[] {
  const member = members.find((one) => keyOf(one) === key);
  const type =
    member?.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : null;
  const types = type?.type === 'TSIntersectionType' ? type.types : [type];
  return types.flatMap((one) => (one?.type === 'TSTypeLiteral' ? one.members : []));
}

function keyOf(member: TSSignature): string {
  return 'key' in member && member.key.type === 'Identifier' ? member.key.name : '';
}

function declared(file: string, name: string, exported: string): Declaration {
  const source = read(file);
  for (const statement of source.program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const again = statement.specifiers.find((one) => identifier(one.exported) === name);
    if (again !== undefined && statement.source !== null) {
      const from = resolved(file, statement.source.value);
      const found = declared(from, identifier(again.local), exported);
      const doc = docBefore(source, statement);
      return doc === '' ? found : { ...found, doc };
    }
    const node = statement.declaration;
    if (node === null || !('id' in node) || node.id === null || !('name' in node.id)) continue;
    if (node.id.name !== name) continue;
    return {
      name: exported,
      doc: docBefore(source, statement),
      text: renamed(signature(source, node), name, exported),
    };
  }
  throw new Error(`${file} has no supported export ${name}.`);
}

const renamed = (text: string, from: string, to: string) =>
  from === to ? text : text.replace(new RegExp(`\\b${from}\\b`), to);

function signature(source: Source, node: Span & { readonly type: string }): string {
  const { text } = source;
  if (isClass(node)) return classText(source, node);
  const body = 'body' in node ? (node.body as Span | null) : null;
  const end = node.type === 'FunctionDeclaration' && body !== null ? body.start : node.end;
  const words = text.slice(node.start, end).trimEnd().replace(/;$/, '');
  return node.type === 'TSInterfaceDeclaration' ? words : `${words};`;
}

const isClass = (node: { readonly type: string }): node is Class =>
  node.type === 'ClassDeclaration';

/** Public members of a class. */
function classText(source: Source, { start, body }: Class): string {
  const members = body.body.flatMap((member) => {
    if (member.type !== 'PropertyDefinition' || member.key.type !== 'Identifier') return [];
    const doc = docBefore(source, member);
    const line = `  ${source.text.slice(member.start, member.end)}`;
    return doc === '' ? [line] : [`  /** ${doc} */`, line];
  });
  return [`${source.text.slice(start, body.start)}{`, ...members, '}'].join('\n');
}

function docBefore({ text, comments }: Source, { start }: Span): string {
  const comment = comments.findLast((one) => one.end <= start);
  if (comment === undefined || comment.type !== 'Block' || !comment.value.startsWith('*'))
    return '';
  if (text.slice(comment.end, start).trim() !== '') return '';
  return flat(comment.value.replaceAll(/^\s*\*+ ?/gm, ''));
}

/** Removes the spaces and commas of a formatted multi-line signature. */
const onOneLine = (text: string) => flat(text).replaceAll('( ', '(').replaceAll(/,? \)/g, ')');

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

function identifier(node: { readonly type: string }): string {
  return 'name' in node && typeof node.name === 'string' ? node.name : '';
}
