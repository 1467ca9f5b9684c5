/** Files that people attach as text, and that browsers give no type, or one of a program. */
const TEXT =
  /\.(?:txt|log|md|mdx|rst|csv|tsv|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|scss|less|[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|jl|sh|bash|zsh|fish|ps1|sql|graphql|proto|tf|diff|patch|gitignore|dockerfile|makefile)$/i;

/** What a model is told that a file is: browsers call TypeScript a video, and most sources nothing at all. */
export function mediaTypeOf(type: string, name: string): string {
  if (/^(?:image|audio)\//.test(type) || type === 'application/pdf') return type;
  if (TEXT.test(name) || /^(?:dockerfile|makefile)$/i.test(name)) {
    return type.startsWith('text/') ? type : 'text/plain';
  }
  return type === '' ? 'application/octet-stream' : type;
}
