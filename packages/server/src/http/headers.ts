/** On every answer. Nothing of ours is shown inside another page, guessed a type of, or kept by caches. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

const NOTHING = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** For data and plain pages: no scripts, no styles, nothing is loaded. */
export const DATA_HEADERS = { ...EVERYWHERE, 'content-security-policy': NOTHING };

/** What users uploaded runs nowhere, even when somebody opens it in place. */
export const UPLOAD_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': `sandbox; ${NOTHING}`,
};

/** The API browser: its own files only, and calls to this server. */
export const DOCS_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
};

/**
 * The web UI: its own files, and calls to this server. Nothing a model says can load an image or run a script from
 * elsewhere. Styles may be inline, because terminals, virtual lists and menus place things by them.
 */
export const WEB_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `worker-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `media-src 'self' blob:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `manifest-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
};

/** A download under a name that may hold anything: the plain form for old clients, the exact one for all others. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
