/** A plain page, for people who come with a browser before there is anything to see. */
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

const HOW_TO_SIGN_IN = `chatd prints a one-time sign-in link when it starts, in the terminal or log where it runs:
restart it for a new one, or ask an admin to make you one.`;

export const NOT_BUILT_PAGE = page(
  'chatd: the web UI is not built',
  'The server runs, and its web UI is missing from this installation: <code>npm start</code> and <code>npm run build</code> build it.',
  'The API is described at <a href="/docs">/docs</a>.',
);

export const USED_LINK_PAGE = page(
  'chatd: this sign-in link does not work any more',
  'It was used before, or it is older than 15 minutes. If it was you who used it, you are signed in: <a href="/">go on</a>.',
  `Otherwise get a new one. ${HOW_TO_SIGN_IN}`,
);

/** Goes on by itself, as a page of ours: a strict cookie is not sent along a redirect that began on another site. */
export const SIGNED_IN_PAGE = page('chatd: you are signed in', '<a href="/">Go on</a>').replace(
  '<title>',
  '<meta http-equiv="refresh" content="0; url=/">\n<title>',
);
