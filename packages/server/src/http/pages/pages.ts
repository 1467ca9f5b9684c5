import { createHash } from 'node:crypto';
import { DATA_HEADERS } from '../headers.ts';

/** System colors, so that the page follows the color scheme of the browser. */
const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 16%, Canvas); }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; background: Canvas; color: CanvasText; font: 1rem/1.55 ui-sans-serif, system-ui, sans-serif; }
main { box-sizing: border-box; width: min(30rem, 100%); padding: 2rem 1.5rem; }
h1 { margin: 1.25rem 0 0.5rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 0.75rem; color: color-mix(in srgb, CanvasText 72%, Canvas); }
p:has(> .action) { margin-top: 1.25rem; }
a { color: inherit; }
a.action { display: inline-block; padding: 0.6rem 1.1rem; border-radius: 0.6rem; background: CanvasText; color: Canvas; font-weight: 600; text-decoration: none; }
a.action:focus-visible { outline: 2px solid CanvasText; outline-offset: 3px; }
code { padding: 0.1em 0.35em; border: 1px solid var(--line); border-radius: 0.35em; font-size: 0.9em; overflow-wrap: anywhere; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded but the style and the logo. */
export const PAGE_HEADERS = {
  ...DATA_HEADERS,
  'content-security-policy': `${DATA_HEADERS['content-security-policy']}; style-src 'sha256-${STYLE_HASH}'; img-src 'self'`,
};

/** A page for a browser that does not need the web UI. */
export function page(title: string, ...paragraphs: string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · chatd</title>
<link rel="icon" href="/icon.svg">
<style>${STYLE}</style>
<main>
<img src="/icon.svg" alt="" width="40" height="40">
<h1>${title}</h1>
${body}
</main>
</html>
`;
}

export const actionLink = (label: string, href = '/'): string =>
  `<a class="action" href="${href}">${label}</a>`;

export const NOT_BUILT_PAGE = page(
  'The web UI is not built',
  'The server is running, but its web UI is missing. Build it with <code>npm start</code> or <code>npm run build</code>.',
  actionLink('Open API reference', '/docs'),
);

export const USED_LINK_PAGE = page(
  'This sign-in link is no longer valid',
  'It was already used, or is older than 15 minutes. If you used it in this browser, you are signed in.',
  'For a new link, restart chatd, which prints one to its terminal or log, or ask an admin to create one.',
  actionLink('Continue to chatd'),
);

/**
 * Continues at a path from a page of ours: browsers do not send a strict cookie with a redirect that began on another
 * site.
 */
export const signedInPage = (path: string): string =>
  refreshing(page('You are signed in', actionLink('Continue to chatd', escaped(path))), path);

/** The page, which loads the address at once. */
export const refreshing = (content: string, address: string): string =>
  content.replace(
    '<title>',
    () => `<meta http-equiv="refresh" content="0; url=${escaped(address)}">\n<title>`,
  );

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
