import type { Token } from 'markdown-it';
import { createElement, type ReactNode } from 'react';
import type { Citations } from '../citation.ts';
import { CodeBlock } from '../code-block.tsx';
import { safeText } from '../safe-text.ts';
import type { Alert } from '../parse/alerts.ts';
import { AlertBox } from './alert-box.tsx';
import { CitationMark } from './citation-mark.tsx';
import { FootnoteMark } from './footnotes.tsx';
import { Formula } from './formula.tsx';
import { ImageLink, Link } from './link.tsx';

/** Allowed elements. Others are dropped, except for their text. */
const PLAIN: Readonly<Record<string, string>> = {
  paragraph: 'p',
  bullet_list: 'ul',
  thead: 'thead',
  tbody: 'tbody',
  tr: 'tr',
  em: 'em',
  strong: 'strong',
  s: 's',
};

interface Opened {
  readonly token: Token | undefined;
  readonly children: ReactNode[];
}

/** Tokens as React nodes. Text always becomes text nodes. */
export function renderTokens(tokens: readonly Token[], citations: Citations): ReactNode[] {
  const stack: Opened[] = [{ token: undefined, children: [] }];
  for (const token of tokens) {
    const top = stack.at(-1);
    if (token.nesting === 1) {
      stack.push({ token, children: [] });
    } else if (token.nesting === -1) {
      const closed = stack.length > 1 ? stack.pop() : undefined;
      const around = stack.at(-1);
      if (closed?.token !== undefined && around !== undefined) {
        around.children.push(element(closed.token, closed.children, around.children.length));
      }
    } else {
      top?.children.push(leaf(token, top.children.length, citations));
    }
  }
  return stack.flatMap(({ children }) => children);
}

function element(token: Token, children: ReactNode[], key: number): ReactNode {
  const name = token.type.replace(/_open$/, '');
  switch (name) {
    case 'heading':
      // Below the title of the page.
      return createElement(`h${Math.min(6, Number(token.tag.slice(1)) + 1)}`, { key }, ...children);
    case 'ordered_list':
      return createElement('ol', { key, start: Number(token.attrGet('start') ?? 1) }, ...children);
    case 'list_item':
      return <ListItem key={key}>{children}</ListItem>;
    case 'blockquote':
      return token.info === '' ? (
        <blockquote key={key}>{children}</blockquote>
      ) : (
        <AlertBox key={key} kind={token.info as Alert}>
          {children}
        </AlertBox>
      );
    case 'table':
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll wide tables
        <div key={key} className="md-table" role="region" aria-label="Table" tabIndex={0}>
          <table>{children}</table>
        </div>
      );
    case 'th':
    case 'td':
      return createElement(name, { key, style: alignment(token) }, ...children);
    case 'link':
      return (
        <Link key={key} href={String(token.attrGet('href') ?? '')} written={token.markup}>
          {children}
        </Link>
      );
    default: {
      // Tight lists have hidden paragraphs.
      const tag = token.hidden ? undefined : PLAIN[name];
      return tag === undefined ? children : createElement(tag, { key }, ...children);
    }
  }
}

function leaf(token: Token, key: number, citations: Citations): ReactNode {
  switch (token.type) {
    case 'inline':
      return renderTokens(token.children ?? [], citations);
    case 'text':
    case 'text_special':
      return safeText(token.content);
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br key={key} />;
    case 'hr':
      return <hr key={key} />;
    case 'code_inline':
      return <code key={key}>{safeText(token.content)}</code>;
    case 'fence':
    case 'code_block':
      return (
        <CodeBlock key={key} code={token.content} language={token.info.trim().split(/\s/)[0]} />
      );
    case 'math_inline':
      return <Formula key={key} tex={token.content} source={token.markup} />;
    case 'footnote_ref':
      return <FootnoteMark key={key} label={token.content} />;
    case 'citation': {
      const number = Number(token.content);
      return <CitationMark key={key} number={number} source={citations.get(number)} />;
    }
    case 'image':
      return <ImageLink key={key} src={String(token.attrGet('src') ?? '')} alt={token.content} />;
    default:
      return safeText(token.content);
  }
}

function alignment(token: Token): { textAlign: 'left' | 'center' | 'right' } | undefined {
  const [, align] =
    /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? '')) ?? [];
  return align === undefined ? undefined : { textAlign: align as 'left' };
}

const TASK = /^\[([ xX])\]\s/;

/** `- [x] done` renders a read-only checkbox. */
function ListItem({ children }: { readonly children: ReactNode[] }) {
  const [first, ...rest] = children.flat(4);
  const task = typeof first === 'string' ? TASK.exec(first) : null;
  if (task === null || typeof first !== 'string') return <li>{children}</li>;
  const done = task[1] !== ' ';
  return (
    <li className="md-task">
      <input
        type="checkbox"
        checked={done}
        readOnly
        disabled
        aria-label={done ? 'Done' : 'To do'}
      />
      {first.slice(task[0].length)}
      {rest}
    </li>
  );
}
