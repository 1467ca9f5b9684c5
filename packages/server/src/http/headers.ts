/** On every response: no framing, no content sniffing, no caching. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
} as const;

const NOTHING = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** For data and plain pages, which load nothing. */
export const DATA_HEADERS = { ...EVERYWHERE, 'content-security-policy': NOTHING };

/** For uploads of users: never run, even when opened in a browser. */
export const UPLOAD_HEADERS = {
  ...EVERYWHERE,
  'content-security-policy': `sandbox; ${NOTHING}`,
};

/** For the API browser: its own files, and calls to this server. */
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
 * For the web UI: its own files, and calls to this server. The output of a model cannot load images or run scripts from
 * other sites. Inline styles are allowed for terminals, virtual lists and menus. Frames show previews of workspaces, and
 * PDF files.
 */
export const webHeaders = (previewDomain: string | undefined) => ({
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
    `frame-src blob: ${previewDomain === undefined ? 'http://*.localhost:*' : `*.${previewDomain}`}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; '),
});

/** A download with any file name: an ASCII form for old clients, and the exact one. */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
