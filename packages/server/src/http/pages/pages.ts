/** A plain page for a browser, without the web UI. */
export function page(title: string, ...paragraphs: string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
${body}
</html>
`;
}

const HOW_TO_SIGN_IN = `chatd prints a one-time sign-in link to its terminal or log when it starts.
Restart it for a new link, or ask an admin to create one.`;

export const NOT_BUILT_PAGE = page(
  'chatd: the web UI is not built',
  'The server is running, but its web UI is missing. Build it with <code>npm start</code> or <code>npm run build</code>.',
  'The API is described at <a href="/docs">/docs</a>.',
);

export const USED_LINK_PAGE = page(
  'chatd: this sign-in link is no longer valid',
  'It was already used, or is older than 15 minutes. If you used it yourself, you are signed in: <a href="/">continue</a>.',
  `Otherwise get a new link. ${HOW_TO_SIGN_IN}`,
);

/** Continues from a page of ours: browsers do not send a strict cookie with a redirect that began on another site. */
export const SIGNED_IN_PAGE = page('chatd: you are signed in', '<a href="/">Continue</a>').replace(
  '<title>',
  '<meta http-equiv="refresh" content="0; url=/">\n<title>',
);
