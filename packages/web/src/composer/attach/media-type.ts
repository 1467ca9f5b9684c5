/** Text files for which browsers report no type or an application type. */
const TEXT =
  /\.(?:txt|log|md|mdx|rst|csv|tsv|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|scss|less|[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|jl|sh|bash|zsh|fish|ps1|sql|graphql|proto|tf|diff|patch|gitignore|dockerfile|makefile)$/i;

/** The media type sent to the model. Browsers report TypeScript as video and most source files as nothing. */
export function mediaTypeOf(type: string, name: string): string {
  if (/^(?:image|audio)\//.test(type) || type === 'application/pdf') return type;
  if (TEXT.test(name) || /^(?:dockerfile|makefile)$/i.test(name)) {
    return type.startsWith('text/') ? type : 'text/plain';
  }
  return type === '' ? 'application/octet-stream' : type;
}
