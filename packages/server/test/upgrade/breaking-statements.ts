/** Statements that break an older program that is still running, and why. */
const BREAKING: readonly (readonly [RegExp, string])[] = [
  [/\bDROP\s+TABLE\b/i, 'it reads and writes the table'],
  [/\bDROP\s+COLUMN\b/i, 'it names the column'],
  [/\bDROP\s+(VIEW|FUNCTION|TRIGGER|TYPE|SEQUENCE)\b/i, 'it relies on it'],
  [/\bRENAME\b/i, 'it knows the old name'],
  [/\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b/i, 'it reads and writes the old type'],
  [/\bALTER\s+(COLUMN\s+)?\w+\s+DROP\s+DEFAULT\b/i, 'it leaves the column to its default'],
  [/\bSET\s+NOT\s+NULL\b/i, 'it may write null'],
  [/\bCREATE\s+UNIQUE\s+INDEX\b/i, 'it may write the same twice'],
  [
    /\bADD\s+(CONSTRAINT\s+\w+\s+)?(CHECK|UNIQUE|PRIMARY\s+KEY|FOREIGN\s+KEY|EXCLUDE)\b/i,
    'it may write what is refused',
  ],
  [/\bTRUNCATE\b/i, 'it has read what is gone'],
];
const ADDED_COLUMN = /\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)([^,;]*)/gi;
const CREATED = /\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi;

/**
 * The statements of a migration that break older programs. The check is textual: it also reports harmless statements,
 * such as a constraint that allows more than before. Their migration needs a `-- contract:` line, too.
 */
export function breakingStatements(sql: string): string[] {
  const statements = withoutLiterals(sql).split(';');
  const own = new Set(
    statements.flatMap((one) => [...one.matchAll(CREATED)].map(([, name]) => name)),
  );
  return statements.flatMap((statement) => {
    const text = statement.trim().replaceAll(/\s+/g, ' ');
    // No older program uses a table that the migration itself creates.
    const [, table] = /\b(?:ALTER\s+TABLE(?:\s+ONLY)?|INDEX\s+\w+\s+ON)\s+(\w+)/i.exec(text) ?? [];
    if (own.has(table)) return [];
    const found = BREAKING.filter(([form]) => form.test(text)).map(([, why]) => why);
    const bare = [...text.matchAll(ADDED_COLUMN)]
      .filter(([, , rest = '']) => /\bNOT\s+NULL\b/i.test(rest) && !/\bDEFAULT\b/i.test(rest))
      .map(([, name]) => `it writes rows without ${name}`);
    return [...found, ...bare].map((why) => `${text.slice(0, 80)}: ${why}`);
  });
}

/** Removes comments, string literals and function bodies. */
const withoutLiterals = (sql: string): string =>
  sql
    .replaceAll(/\$\$.*?\$\$/gs, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\/\*.*?\*\//gs, '');
