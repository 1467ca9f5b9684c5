import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';

const parser = new MarkdownIt({ html: true });

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
  const tokens = parser.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  return tokens.flatMap((token) => {
    if (isHtml(token))
      return [...token.content.matchAll(/(?:href|src|srcset)="([^"\s]+)"/g)].map(
        ([, link = '']) => link,
      );
    const target = token.attrGet('href') ?? token.attrGet('src');
    return target === null ? [] : [String(target)];
  });
}

/** Anchors of headings, as GitHub generates them, and IDs in HTML. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>();
  let isHeading = false;
  for (const token of parser.parse(text, {})) {
    if (token.type === 'inline' && isHeading) {
      const slug = slugOf((token.children ?? []).map(({ content }) => content).join(''));
      let name = slug;
      for (let again = 1; anchors.has(name); again += 1) name = `${slug}-${again}`;
      anchors.add(name);
    }
    isHeading = token.type === 'heading_open';
    for (const { content } of [token, ...(token.children ?? [])].filter(isHtml)) {
      for (const [, id = ''] of content.matchAll(/(?:id|name)="([^"]+)"/g)) anchors.add(id);
    }
  }
  return anchors;
}

function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

const isHtml = ({ type }: Token) => type === 'html_block' || type === 'html_inline';

function lineOf(text: string, link: string): number {
  return text.slice(0, Math.max(0, text.indexOf(`(${link}`))).split('\n').length;
}
