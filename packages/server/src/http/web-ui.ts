import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { DATA_HEADERS, webHeaders } from './headers.ts';

/** Where a user approves a login of the chatd command. */
export const CLI_LOGIN_PATH = '/cli-login';

/** The paths of the client-side router. All of them return the same page. */
export const WEB_PATHS = [
  '/',
  '/chats/:chat_id',
  '/chats/:chat_id/desktop',
  '/shared/:chat_id',
  '/projects/:project_id',
  '/settings',
  '/settings/:section',
  CLI_LOGIN_PATH,
] as const;

/** Files that are not in `assets`, because their names must not change. */
export const ROOT_FILES = [
  'icon.svg',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable.png',
  'manifest.webmanifest',
  'service-worker.js',
] as const;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** Precompressed variants of a file, best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** For names that contain a hash of the content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The built web UI. Serves only the files found at the start, so that no path can leave the folder. */
export class WebUi {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #read = new Map<string, Promise<Buffer>>();

  private constructor(
    folder: string,
    names: ReadonlySet<string>,
    previewDomain: string | undefined,
  ) {
    this.#folder = folder;
    this.#names = names;
    this.#headers = webHeaders(previewDomain);
  }

  /** Undefined if it is not built. */
  static async open(folder = builtFolder(), previewDomain?: string): Promise<WebUi | undefined> {
    if (folder === undefined) return undefined;
    try {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const names = files.map(({ parentPath, name }) =>
        join(parentPath, name).slice(folder.length + 1),
      );
      return names.includes('index.html')
        ? new WebUi(folder, new Set(names), previewDomain)
        : undefined;
    } catch {
      return undefined;
    }
  }

  page(accepted: string | undefined, status = 200): Promise<Response> {
    return this.#answer('index.html', accepted, this.#headers, status);
  }

  /** Undefined if the file does not exist. */
  async file(name: string, accepted: string | undefined): Promise<Response | undefined> {
    if (!this.#names.has(name) || TYPES[extname(name)] === undefined) return undefined;
    // Frames with an opaque origin load scripts too.
    const kept = name.startsWith('assets/')
      ? { 'cache-control': FOREVER, 'access-control-allow-origin': '*' }
      : {};
    // A web worker uses the content security policy of its own file.
    const headers = extname(name) === '.js' ? this.#headers : DATA_HEADERS;
    return await this.#answer(name, accepted, { ...headers, ...kept });
  }

  async #answer(
    name: string,
    accepted = '',
    headers: Readonly<Record<string, string>>,
    status = 200,
  ): Promise<Response> {
    const understood = new Set(accepted.split(',').map((part) => part.split(';')[0]?.trim()));
    const encoding = ENCODINGS.find(
      ([coding, ending]) => understood.has(coding) && this.#names.has(name + ending),
    );
    const content = await this.#content(name + (encoding?.[1] ?? ''));
    return new Response(content as Uint8Array<ArrayBuffer>, {
      status,
      headers: {
        ...headers,
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding[0] }),
      },
    });
  }

  #content(name: string): Promise<Buffer> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const read = readFile(join(this.#folder, name));
    this.#read.set(name, read);
    read.catch(() => this.#read.delete(name));
    return read;
  }
}

function builtFolder(): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return join(dirname(require.resolve('@chatd/web/package.json')), 'dist');
  } catch {
    return undefined;
  }
}
