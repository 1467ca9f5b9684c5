/** Grammars by the names that models and users write, and by file extension. */
const ALIASES: Readonly<Record<string, string>> = {
  'c++': 'cpp',
  'c#': 'csharp',
  bat: 'powershell',
  cc: 'cpp',
  cjs: 'javascript',
  clj: 'clojure',
  console: 'shellsession',
  cs: 'csharp',
  dockerfile: 'docker',
  ex: 'elixir',
  exs: 'elixir',
  golang: 'go',
  gql: 'graphql',
  h: 'c',
  hpp: 'cpp',
  hs: 'haskell',
  htm: 'html',
  js: 'javascript',
  json5: 'json',
  jsonc: 'json',
  jsonl: 'json',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  mts: 'typescript',
  cts: 'typescript',
  patch: 'diff',
  pl: 'perl',
  postgresql: 'sql',
  ps1: 'powershell',
  protobuf: 'proto',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sass: 'scss',
  sh: 'bash',
  shell: 'bash',
  svg: 'xml',
  terraform: 'hcl',
  tf: 'hcl',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

const KNOWN =
  /^(?:bash|c|clojure|cpp|csharp|css|dart|diff|docker|elixir|go|graphql|haskell|hcl|html|ini|java|javascript|json|jsx|kotlin|lua|make|markdown|nginx|nix|perl|php|powershell|proto|python|r|ruby|rust|scala|scss|shellsession|sql|svelte|swift|toml|tsx|typescript|vue|xml|yaml|zig)$/;

/** Undefined for unknown languages. */
export function grammarOf(language: string | undefined): string | undefined {
  const name = (language ?? '').toLowerCase().replace(/^\./, '');
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  return known !== undefined && KNOWN.test(known) ? known : undefined;
}
