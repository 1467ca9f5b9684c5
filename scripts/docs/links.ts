import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { marked } from 'marked';
import type { Token } from 'marked';

/** Broken links and images of Markdown files. */
export function brokenLinks(root: string, files: readonly string[]): string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string) => {
    const found = anchors.get(file) ?? anchorsIn(readFileSync(join(root, file), 'utf8'));
    anchors.set(file, found);
    return found;
  };
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return linksIn(text).flatMap((link) => {
      const words = whatIsWrong(root, file, link, anchorsOf);
      return words === undefined ? [] : [`${file}:${lineOf(text, link)}: ${link} ${words}`];
    });
  });
}

function whatIsWrong(
  root: string,
  file: string,
  link: string,
  anchorsOf: (file: string) => ReadonlySet<string>,
): string | undefined {
  if (/^(?:[a-z]+:|\/\/)/.test(link)) return undefined;
  const [path = '', anchor] = decodeURI(link).split('#');
  const target = path === '' ? file : normalize(join(dirname(file), path));
  if (target.startsWith('..')) return 'leads out of the repository';
  const absolute = join(root, target);
  if (!existsSync(absolute)) return 'does not exist';
  if (anchor === undefined) return undefined;
  const page = statSync(absolute).isDirectory() ? join(target, 'README.md') : target;
  if (!page.endsWith('.md') || !existsSync(join(root, page))) return 'has no anchors';
  return anchorsOf(relative('.', page)).has(anchor) ? undefined : 'has no such heading';
}

/** Targets of links and images in Markdown and HTML. */
function linksIn(text: string): string[] {
  const links: string[] = [];
  walk(text, (token) => {
    if (token.type === 'link' || token.type === 'image') links.push(String(token['href']));
    if (token.type === 'html') {
      for (const [, link = ''] of token.raw.matchAll(/(?:href|src|srcset)="([^"\s]+)"/g))
        links.push(link);
    }
  });
  return links;
}

/** Anchors of headings, as GitHub generates them, and IDs in HTML. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>();
  walk(text, (token) => {
    if (token.type === 'heading') {
      const slug = slugOf(plainText(token['tokens'] ?? []));
      let name = slug;
      for (let again = 1; anchors.has(name); again += 1) name = `${slug}-${again}`;
      anchors.add(name);
    }
    if (token.type === 'html') {
      for (const [, id = ''] of token.raw.matchAll(/(?:id|name)="([^"]+)"/g)) anchors.add(id);
    }
  });
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? plainText(token.tokens)
        : 'text' in token
          ? unescaped(String(token['text']))
          : token.raw,
    )
    .join('');
}

const unescaped = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

function walk(text: string, visit: (token: Token) => void): void {
  void marked.walkTokens(marked.lexer(text), visit);
}

function lineOf(text: string, link: string): number {
  return text.slice(0, Math.max(0, text.indexOf(`(${link}`))).split('\n').length;
}
