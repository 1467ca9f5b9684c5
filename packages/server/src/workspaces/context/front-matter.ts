/** The fields of the block between `---` at the beginning of a document, as text, and what comes after it. */
export function frontMatter(document: string): {
  fields: Readonly<Record<string, string>>;
  body: string;
} {
  const match = /^\uFEFF?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(document);
  if (match === null) return { fields: {}, body: document };
  return { fields: fieldsOf(match[1] ?? ''), body: document.slice(match[0].length) };
}

/** The part of YAML that such blocks use: names, plain or quoted values, and values over several indented lines. */
function fieldsOf(block: string): Record<string, string> {
  const fields = new Map<string, string>();
  let name: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const [, key, value = ''] = /^([A-Za-z_][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      name = key;
      fields.set(name, /^[|>][+-]?$/.test(value) ? '' : unquoted(value.trim()));
    } else if (name !== undefined && /^[ \t]+\S/.test(line)) {
      fields.set(name, `${fields.get(name) ?? ''} ${line.trim()}`.trim());
    }
  }
  return Object.fromEntries(fields);
}

function unquoted(value: string): string {
  const [, quoted] = /^"(.*)"$/.exec(value) ?? /^'(.*)'$/.exec(value) ?? [];
  return quoted ?? value;
}
